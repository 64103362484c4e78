import { AppError } from './app-error.js';
import { errorEntry, isPublicCode, type PublicCode } from './catalogue.js';
import type { Facts, UnavailableReason } from './error-facts.js';
import { UNAVAILABLE_MESSAGES } from './recovering.js';

/** An error as an agent may see it. */
export type PublicError = AppError & { readonly code: PublicCode };

/** Facts between services, which no caller sees. */
const INTERNAL_FACTS: ReadonlySet<string> = new Set(['outcome', 'payer']);
/** Facts of a 5xx that decide how, and when, the caller tries again. */
const RETRY_FACTS: ReadonlySet<string> = new Set(['retryAtMs', 'retryAfterSeconds', 'signature', 'refundSignature']);

/**
 * Returns the part of an error that leaves the system, in a response or in a record that the agent can read. The text
 * of a 5xx may come from an upstream, so the catalogue's message replaces it. An internal code becomes INTERNAL_ERROR.
 * Idempotent. The error itself is the cause.
 */
export function publicError(error: AppError): PublicError {
  const code = isPublicCode(error.code) ? error.code : 'INTERNAL_ERROR';
  const isRefusal = errorEntry(code).http < 500 || code === 'CAPABILITY_UNAVAILABLE';
  const shown = isRefusal ? refusal(error) : failure(error, code);
  return shown as PublicError;
}

function refusal(error: AppError): AppError {
  const { code, message, details } = error;
  const data = only(error.data, (name) => !INTERNAL_FACTS.has(name));
  return AppError.received(code, { message, details, data, cause: error });
}

function failure(error: AppError, code: PublicCode): AppError {
  const reason = code === 'SERVICE_UNAVAILABLE' ? unavailableReason(error.data) : undefined;
  const data = only(error.data, (name) => RETRY_FACTS.has(name));
  return AppError.received(code, {
    message: reason === undefined ? errorEntry(code).message : UNAVAILABLE_MESSAGES[reason],
    data: reason === undefined ? data : { ...data, reason },
    cause: error,
  });
}

/** Returns a known reason; undefined also for a reason of a newer service. */
function unavailableReason({ reason }: Facts): UnavailableReason | undefined {
  const isKnown = typeof reason === 'string' && Object.hasOwn(UNAVAILABLE_MESSAGES, reason);
  return isKnown ? (reason as UnavailableReason) : undefined;
}

function only(data: Facts, isKept: (name: string) => boolean): Facts {
  return Object.fromEntries(Object.entries(data).filter(([name]) => isKept(name)));
}
