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
    // A refused signature is a 401, too, and so is what a session by mail may not do: the session goes on.
    return this.statusCode === 401 && this.code !== 'ASSERTION_INVALID' && this.reason !== 'passkey_required';
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
