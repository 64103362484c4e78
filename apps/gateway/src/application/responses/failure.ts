import {
  AppError,
  type ErrorCode,
  errorEntry,
  type Fact,
  isPublicCode,
  isRetryable,
  type PublicCode,
  type Retry,
  retryOf,
  UNAVAILABLE_MESSAGES,
  type UnavailableReason,
} from '@agent-wallet/kernel';
import { ERROR_FIELDS } from '../../domain/error-fields.js';
import type { ApiResponse } from '../../ports/idempotency-store.js';
import { type ExactJson, isoTime, textNumber, usdNumber, writeJson } from './exact-json.js';

/** When a failure is answered, and what it is the answer to. */
export interface Failing {
  readonly requestId: string;
  /** Unix milliseconds. */
  readonly nowMs: number;
  /** The operation whose final response it is; undefined when it is none's. */
  readonly transactionId?: string;
  readonly explorerUrl?: (signature: string) => string;
}

/** When to try again after failures that do not say it. A failover or a recovery takes a minute or two. */
const RETRY_SECONDS: { readonly [Code in ErrorCode]?: number } = {
  IDEMPOTENCY_IN_PROGRESS: 2,
  RATE_LIMIT_EXCEEDED: 60,
  SERVICE_UNAVAILABLE: 30,
};

/** A failure in the public shape. */
export function failureResponse(error: AppError, failing: Failing): ApiResponse {
  const shown = publicError(error);
  const { http } = errorEntry(shown.code);
  return { statusCode: http, message: messageOf(shown), dataJson: writeJson(failureData(shown, failing)) };
}

/** `data` of a failure. */
export function failureData(error: AppError, failing: Failing): Record<string, ExactJson> {
  const shown = publicError(error);
  const { code, details, data } = shown;
  const { requestId, nowMs, transactionId } = failing;
  const retry = retryOf(code, data, transactionId !== undefined);
  const retryAtMs = retry === 'never' ? undefined : retryAtOf(shown, nowMs);
  const { suggestion } = data;
  return {
    code,
    requestId,
    retryable: isRetryable(code, retry),
    retry,
    retryAt: retryAtMs === undefined ? null : isoTime(retryAtMs),
    suggestion:
      errorEntry(code).http < 500 ? (typeof suggestion === 'string' ? suggestion : null) : ownSuggestion(retry),
    ...(details.length > 0 ? { details: details.map((detail) => ({ ...detail })) } : {}),
    ...(transactionId === undefined ? {} : { transactionId }),
    ...fieldsOf(shown, failing),
  };
}

type PublicError = AppError & { readonly code: PublicCode };

/** What services say among themselves is an internal error to the public. */
function publicError(error: AppError): PublicError {
  const shown = isPublicCode(error.code) ? error : new AppError('INTERNAL_ERROR', { cause: error });
  return shown as PublicError;
}

function retryAtOf({ code, data }: AppError, nowMs: number): number | undefined {
  const { retryAtMs, retryAfterSeconds = RETRY_SECONDS[code] } = data;
  if (typeof retryAtMs === 'number') return retryAtMs;
  return typeof retryAfterSeconds === 'number' ? nowMs + retryAfterSeconds * 1_000 : undefined;
}

/** A 5xx that must not be repeated took an escrow, and could not pay it back to the wallet. */
function ownSuggestion(retry: Retry): string | null {
  return retry === 'never'
    ? 'The USDC that was taken is in the prediction balance now: withdraw it before you buy again.'
    : null;
}

/** What a service says with a 5xx may come from something upstream: then only our own words leave. */
function messageOf({ code, message, data }: AppError): string {
  const entry = errorEntry(code);
  if (entry.http < 500) return message;
  const reason = code === 'SERVICE_UNAVAILABLE' ? data['reason'] : undefined;
  // A service may be newer than the gateway.
  const known = typeof reason === 'string' && Object.hasOwn(UNAVAILABLE_MESSAGES, reason);
  return known ? UNAVAILABLE_MESSAGES[reason as UnavailableReason] : entry.message;
}

/** The fields of a code, each with its fact. Facts that the code does not have in public stay inside. */
function fieldsOf({ code, data }: PublicError, { explorerUrl }: Failing): Record<string, ExactJson> {
  const facts = Object.fromEntries(Object.entries(data).map(([name, fact]) => publicFact(name, fact)));
  const { signature } = facts;
  if (explorerUrl && typeof signature === 'string') facts.explorerUrl = explorerUrl(signature);
  return Object.fromEntries(Object.entries(ERROR_FIELDS[code]).map(([name, absent]) => [name, facts[name] ?? absent]));
}

/**
 * Services send exact amounts as digits, with the unit last in the name. In public they are numbers and times:
 * `limitUsdMicros` becomes `limitUsd`, `resetsAtMs` becomes `resetsAt`, `…Lamports` a number.
 */
function publicFact(name: string, fact: Fact): [string, ExactJson] {
  if (name.endsWith('AtMs')) return [name.slice(0, -'Ms'.length), typeof fact === 'number' ? isoTime(fact) : null];
  const units = typeof fact === 'string' && /^\d{1,20}$/.test(fact) ? BigInt(fact) : undefined;
  if (name.endsWith('UsdMicros'))
    return [name.slice(0, -'Micros'.length), units === undefined ? null : usdNumber(units)];
  if (name.endsWith('Lamports')) return [name, units === undefined ? null : textNumber(units.toString())];
  return [name, fact];
}
