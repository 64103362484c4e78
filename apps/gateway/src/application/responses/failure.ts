import {
  type AppError,
  type ErrorCode,
  errorEntry,
  type Fact,
  isRetryable,
  type PublicError,
  publicError,
  retryOf,
} from '@agent-wallet/kernel';
import { ERROR_FIELDS } from '../../domain/error-fields.js';
import type { ApiResponse } from '../../ports/idempotency-store.js';
import { type ExactJson, isoTime, textNumber, usdNumber, writeJson } from './exact-json.js';
import { suggestionOf } from './suggestion.js';

/** The time of a failure, and the request or operation that it ends. */
export interface Failing {
  readonly requestId: string;
  /** Unix milliseconds. */
  readonly nowMs: number;
  /** The operation whose final response it is; undefined when it is none's. */
  readonly transactionId?: string;
  readonly explorerUrl?: (signature: string) => string;
}

/** Retry delays of failures without one of their own, in seconds. A failover or a recovery takes a minute or two. */
const RETRY_SECONDS: { readonly [Code in ErrorCode]?: number } = {
  IDEMPOTENCY_IN_PROGRESS: 2,
  RATE_LIMIT_EXCEEDED: 60,
  SERVICE_UNAVAILABLE: 30,
};

/** Returns a failure in the public shape. */
export function failureResponse(error: AppError, failing: Failing): ApiResponse {
  const shown = publicError(error);
  const { http } = errorEntry(shown.code);
  return { statusCode: http, message: shown.message, dataJson: writeJson(failureData(shown, failing)) };
}

/** Returns the `data` of a failure. */
function failureData(error: AppError, failing: Failing): Record<string, ExactJson> {
  const shown = publicError(error);
  const { code, details, data } = shown;
  const { requestId, nowMs, transactionId } = failing;
  const isFinal = transactionId !== undefined;
  const retry = retryOf(code, data, isFinal);
  const retryAtMs = retry === 'never' ? undefined : retryAtOf(shown, nowMs);
  return {
    code,
    requestId,
    retryable: isRetryable(code, retry),
    retry,
    retryAt: retryAtMs === undefined ? null : isoTime(retryAtMs),
    suggestion: suggestionOf(shown, isFinal),
    ...(details.length > 0 ? { details: details.map((detail) => ({ ...detail })) } : {}),
    ...(transactionId === undefined ? {} : { transactionId }),
    ...fieldsOf(shown, failing),
  };
}

function retryAtOf({ code, data }: AppError, nowMs: number): number | undefined {
  const { retryAtMs, retryAfterSeconds = RETRY_SECONDS[code] } = data;
  if (typeof retryAtMs === 'number') return retryAtMs;
  return typeof retryAfterSeconds === 'number' ? nowMs + retryAfterSeconds * 1_000 : undefined;
}

/** Returns the fields of a code, each with its fact. Facts that the code does not have in public stay inside. */
function fieldsOf({ code, data }: PublicError, { explorerUrl }: Failing): Record<string, ExactJson> {
  const facts = Object.fromEntries(Object.entries(data).map(([name, fact]) => publicFact(name, fact)));
  const { signature } = facts;
  if (explorerUrl && typeof signature === 'string') facts.explorerUrl = explorerUrl(signature);
  return Object.fromEntries(Object.entries(ERROR_FIELDS[code]).map(([name, absent]) => [name, facts[name] ?? absent]));
}

/**
 * Services send exact amounts as digits, with the unit last in the name. In public they are numbers and times:
 * `limitUsdMicros` becomes `limitUsd`, `resetsAtMs` becomes `resetsAt`, `…Lamports` and `maxAmountNow` numbers.
 */
function publicFact(name: string, fact: Fact): [string, ExactJson] {
  if (name.endsWith('AtMs')) return [name.slice(0, -'Ms'.length), typeof fact === 'number' ? isoTime(fact) : null];
  if (name === 'maxAmountNow') return [name, typeof fact === 'string' ? textNumber(fact) : null];
  const units = typeof fact === 'string' && /^\d{1,20}$/.test(fact) ? BigInt(fact) : undefined;
  if (name.endsWith('UsdMicros'))
    return [name.slice(0, -'Micros'.length), units === undefined ? null : usdNumber(units)];
  if (name.endsWith('Lamports')) return [name, units === undefined ? null : textNumber(units.toString())];
  return [name, fact];
}
