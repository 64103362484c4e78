import { TEXTS } from '../texts.js';

interface FailedEnvelope {
  readonly message?: string;
  readonly data?: {
    readonly code?: string;
    readonly rule?: string | null;
    readonly reason?: string | null;
    readonly suggestion?: string | null;
    readonly retryAt?: string | null;
  } | null;
}

/** Facts of a failed request. */
interface FailureFacts {
  readonly statusCode: number;
  readonly code: string;
  readonly rule?: string | undefined;
  readonly reason?: string | undefined;
  readonly suggestion?: string | undefined;
  readonly retryAt?: string | undefined;
}

/** Reasons of a 401 with which the session goes on: what was sent is refused, or a session by mail may not do it. */
const STAYS_LOGGED_IN: ReadonlySet<string> = new Set(['wrong_code', 'passkey_required']);

/** A request that failed, in words for a person. */
export class Failure extends Error {
  override readonly name = 'Failure';
  readonly statusCode: number;
  readonly code: string;
  /** Rule of the policy that a `POLICY_VIOLATION` names. */
  readonly rule: string | undefined;
  /** Reason of an `AUTHENTICATION_ERROR`. */
  readonly reason: string | undefined;
  readonly suggestion: string | undefined;
  readonly retryAt: string | undefined;

  constructor(message: string, { statusCode, code, rule, reason, suggestion, retryAt }: FailureFacts) {
    super(message);
    this.statusCode = statusCode;
    this.code = code;
    this.rule = rule;
    this.reason = reason;
    this.suggestion = suggestion;
    this.retryAt = retryAt;
  }

  /** Whether the session has ended. */
  get isLoggedOut(): boolean {
    // A refused signature is a 401, too.
    return this.statusCode === 401 && this.code !== 'ASSERTION_INVALID' && !STAYS_LOGGED_IN.has(this.reason ?? '');
  }
}

/** Converts a failed response. */
export function failureOf(statusCode: number, body: unknown): Failure {
  const { message, data } = Object(body) as FailedEnvelope;
  const { code = 'UNKNOWN', rule, reason, suggestion, retryAt } = data ?? {};
  return new Failure(message ?? TEXTS.errors.unknown, {
    statusCode,
    code,
    rule: rule ?? undefined,
    reason: reason ?? undefined,
    // Most messages end with the next step.
    suggestion: suggestion && !message?.includes(suggestion) ? suggestion : undefined,
    retryAt: retryAt ?? undefined,
  });
}

/** Converts what a request threw: the network, mostly. */
export function asFailure(error: unknown): Failure {
  if (error instanceof Failure) return error;
  return new Failure(TEXTS.errors.offline, { statusCode: 0, code: 'OFFLINE', suggestion: TEXTS.errors.offlineHint });
}

/** Returns whether a request had no session at all, as on a first visit. */
export function isWithoutSession(error: unknown): boolean {
  return error instanceof Failure && error.isLoggedOut && error.reason === 'missing';
}

/** Returns whether what a request names does not exist, or is not this owner's. */
export function isMissing(error: unknown): boolean {
  return error instanceof Failure && (error.statusCode === 404 || error.code === 'VALIDATION_ERROR');
}

/** Returns whether the service refused a mailed code. */
export function isWrongCode(error: unknown): boolean {
  return error instanceof Failure && error.reason === 'wrong_code';
}
