import { AppError, type ErrorCode, errorEntry, isRecovering, recovering } from '@agent-wallet/kernel';
import type { ApiResponse } from '../../ports/idempotency-store.js';
import { type ExactJson, isoTime, textNumber, usdNumber, writeJson } from './exact-json.js';

/** Codes that services use among themselves: to the public each of them is an internal error. */
const INTERNAL_CODES: ReadonlySet<ErrorCode> = new Set(['CALLER_NOT_ALLOWED', 'SIGNING_REFUSED', 'PERMIT_CONFLICT']);

/** Every field of a refusal by policy; what a rule does not have is null. */
const POLICY_FIELDS = ['rule', 'limitUsd', 'usedUsd', 'requestedUsd', 'maxAllowedNowUsd', 'resetsAt', 'suggestion'];

/** The error that the public sees for an error of a service. */
function publicError(error: AppError): AppError {
  return INTERNAL_CODES.has(error.code) ? new AppError('INTERNAL_ERROR', { cause: error }) : error;
}

/**
 * A failure in the public shape.
 * @param extra further fields of `data`, e.g. `transactionId`
 */
export function failureResponse(
  error: AppError,
  requestId: string,
  extra: Readonly<Record<string, string>> = {},
): ApiResponse {
  const shown = publicError(error);
  const entry = errorEntry(shown.code);
  const data: Record<string, ExactJson> = { code: shown.code, requestId, retryable: entry.retryable };
  if (shown.details.length > 0) data.details = shown.details.map(({ field, reason }) => ({ field, reason }));
  const facts = { ...publicFacts(shown.data), ...extra };
  if (shown.code === 'POLICY_VIOLATION') for (const name of POLICY_FIELDS) data[name] = facts[name] ?? null;
  // What a service says with a 5xx may stem from something upstream: only the catalogue's words leave.
  if (entry.http < 500) for (const [name, value] of Object.entries(facts)) data[name] ??= value;
  else if (extra.transactionId) data.transactionId = extra.transactionId;
  return {
    statusCode: entry.http,
    message: messageOf(shown),
    dataJson: writeJson(data),
  };
}

/** A recovery is our own: its words are known. */
function messageOf(shown: AppError): string {
  if (isRecovering(shown)) return recovering().message;
  const { http, message } = errorEntry(shown.code);
  return http < 500 ? shown.message : message;
}

/**
 * Services send facts flat, as texts, with the unit last in the name. In public they are numbers and times:
 * `limitUsdMicros` becomes `limitUsd`, `resetsAtMs` becomes `resetsAt`, `…Lamports` a number.
 */
function publicFacts(facts: Readonly<Record<string, string>>): Record<string, ExactJson> {
  return Object.fromEntries(Object.entries(facts).map(([name, text]) => publicFact(name, text)));
}

function publicFact(name: string, text: string): [string, ExactJson] {
  const integer = /^\d{1,20}$/.test(text);
  if (name.endsWith('UsdMicros')) return [name.slice(0, -'Micros'.length), integer ? usdNumber(BigInt(text)) : null];
  if (name.endsWith('AtMs')) {
    return [name.slice(0, -'Ms'.length), integer && text !== '0' ? isoTime(BigInt(text)) : null];
  }
  if (name.endsWith('Lamports')) return [name, integer ? textNumber(BigInt(text).toString()) : null];
  return [name, text === '' ? null : text];
}
