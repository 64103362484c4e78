import type { components, ErrorDataByCode } from './generated/api.js';

/** `data` of a failure, as far as every code has it. */
export type ErrorData = components['schemas']['OtherError'];

/** A code that this version of the SDK knows. */
export type KnownCode = keyof ErrorDataByCode;

/** An answer of the service that says no. Decide by `code` and `retry`; `message` is for people. */
export class ApiError extends Error {
  override readonly name: string = 'ApiError';

  constructor(
    message: string,
    /** The HTTP status. */
    readonly status: number,
    readonly data: ErrorData,
    /** Seconds after which another attempt may succeed, where the service names them. */
    readonly retryAfterSeconds?: number,
  ) {
    super(message);
  }

  get code(): ErrorData['code'] {
    return this.data.code;
  }

  /** The next attempt: `same_key`, `new_key` or `never`. */
  get retry(): ErrorData['retry'] {
    return this.data.retry;
  }

  /** The operation that has failed for good; undefined where this request began none. */
  get transactionId(): string | undefined {
    return this.data.transactionId;
  }

  /** The next step, where the service knows it. */
  get suggestion(): string | null {
    return this.data.suggestion;
  }
}

/** Reports whether an error is an answer with this code, whose `data` is then typed. */
export function isApiError<Code extends KnownCode>(
  error: unknown,
  code: Code,
): error is ApiError & { readonly data: ErrorDataByCode[Code] } {
  return error instanceof ApiError && error.data.code === code;
}

/** No answer of the service: the connection failed, it took too long, or something else answered. */
export class NoAnswerError extends Error {
  override readonly name: string = 'NoAnswerError';
  /** Whether no connection could be made: the address may be wrong, and the service did not get the request. */
  readonly isUnreachable: boolean;

  constructor(message: string, options: { readonly cause?: unknown; readonly isUnreachable?: boolean } = {}) {
    super(message, 'cause' in options ? { cause: options.cause } : undefined);
    this.isUnreachable = options.isUnreachable ?? false;
  }
}

/** No test money: the service is not in the sandbox, or its faucet says no. */
export class FaucetError extends Error {
  override readonly name: string = 'FaucetError';
}

/** Names of an operation that is not over. */
export interface OpenOperation {
  /** Repeat the request with it, and with no other: `resume` does. */
  readonly key: string;
  /** The operation in history, once the service has named it. */
  readonly transactionId?: string | undefined;
}

/**
 * An operation whose end was not seen. It may have moved money, or may still: the same key finds out, a new one could pay
 * twice.
 */
export class OutcomeUnknownError extends Error {
  override readonly name: string = 'OutcomeUnknownError';

  constructor(
    readonly operation: OpenOperation,
    options?: { readonly cause?: unknown },
  ) {
    const { cause } = options ?? {};
    const why = cause instanceof Error ? `: ${cause.message.replace(/\.$/, '')}` : '';
    super(`The outcome of the operation is not known yet${why}. Resume it with the same key.`, options);
  }
}

/**
 * A request that was sent more than 23 hours ago and is not sent again: its key may count as new, so that a repeat could pay
 * twice.
 */
export class ExpiredKeyError extends Error {
  override readonly name: string = 'ExpiredKeyError';

  constructor(
    readonly operation: OpenOperation,
    /** Unix milliseconds. */
    readonly sentAtMs: number,
    /** The operation's record in history; undefined where it was not found, and may have moved money. */
    readonly transaction?: components['schemas']['Transaction'],
  ) {
    super(
      transaction
        ? `The operation has ended: history says ${transaction.status}. Its request was not sent again.`
        : `The request of ${new Date(sentAtMs).toISOString()} is older than 23 hours. Sending it again could pay twice. ` +
            'Look for it in the history. Then forget it; without a record there, send it again with a new key.',
    );
  }
}

/** An operation that waits longer than its caller does: for the chain, or for the owner. */
export class StillOpenError extends Error {
  override readonly name: string = 'StillOpenError';

  constructor(
    readonly operation: OpenOperation,
    /** The last answer: `submitted`, `awaiting_approval`, or another reason. */
    readonly accepted: components['schemas']['OtherAccepted'] & { readonly approvalUrl?: string | null },
  ) {
    super(`The operation is ${accepted.transactionStatus}. Resume it with the same key.`);
  }
}
