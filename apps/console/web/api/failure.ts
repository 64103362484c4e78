import { TEXTS } from '../texts.js';

interface FailedEnvelope {
  readonly message?: string;
  readonly data?: {
    readonly code?: string;
    readonly suggestion?: string | null;
    readonly retryAt?: string | null;
  } | null;
}

/** A request that failed, in words for a person. */
export class Failure extends Error {
  override readonly name = 'Failure';

  constructor(
    message: string,
    readonly statusCode: number,
    readonly code: string,
    readonly suggestion: string | undefined,
    readonly retryAt: string | undefined,
  ) {
    super(message);
  }

  /** Whether the session has ended. */
  get isLoggedOut(): boolean {
    return this.statusCode === 401;
  }
}

/** Converts a failed response. */
export function failureOf(statusCode: number, body: unknown): Failure {
  const { message, data } = Object(body) as FailedEnvelope;
  const { code = 'UNKNOWN', suggestion, retryAt } = data ?? {};
  return new Failure(message ?? TEXTS.errors.unknown, statusCode, code, suggestion ?? undefined, retryAt ?? undefined);
}

/** Converts what a request threw: the network, mostly. */
export function asFailure(error: unknown): Failure {
  if (error instanceof Failure) return error;
  return new Failure(TEXTS.errors.offline, 0, 'OFFLINE', TEXTS.errors.offlineHint, undefined);
}
