import { type ServiceError, status } from '@grpc/grpc-js';
import { ERROR_CODES } from '../generated/error-codes.js';
import { type FieldProblem, readStatusDetails } from './status-details.js';

export type { FieldProblem };

/** A code of the services' catalogue of errors (`CATALOGUE` in libs/kernel). */
export type ErrorCode = keyof typeof ERROR_CODES;

/** Messages of grpc-js when a request has not reached a server, or a server has refused to begin with it. */
const NEVER_PROCESSED =
  /^(round_robin: )?(Stream refused by server|No connection established|Name resolution failed|Channel closed)/;

interface Failed {
  readonly method: string;
  readonly cause: unknown;
  readonly status: number;
  readonly text: string;
  readonly details?: ReturnType<typeof readStatusDetails>;
  /** Whether a server certainly did not begin with it. */
  readonly neverProcessed: boolean;
}

/** A call that failed. */
export class CallError extends Error {
  /** `agentwallet.wallet.v1.WalletService/Transfer` */
  readonly method: string;
  /** gRPC's status. */
  readonly status: status;
  /**
   * The service's own answer, a code of its catalogue; a service that is newer than this package may send others. Undefined
   * when there was no answer of the service: no connection, the deadline, a stream that broke.
   */
  readonly code: ErrorCode | (string & {}) | undefined;
  /** Further facts of the service, by name: `rule`, `neededLamports` … */
  readonly hints: Readonly<Record<string, unknown>>;
  /** The fields of the request that are wrong. */
  readonly problems: readonly FieldProblem[];
  /** Delay before a retry, if the service named one. */
  readonly retryAfterMs: number | undefined;
  /** Whether the same request may succeed later, as the catalogue has it; true when there was no answer. */
  readonly retryable: boolean;
  /** Whether no server has begun with the last attempt. */
  readonly neverProcessed: boolean;
  /** Number of attempts. */
  attempts = 1;
  /**
   * Whether the method changes something, and some attempt of it got no answer: it may have been carried out, against the
   * last answer says. Of what carries an operation id: ask again with the same one.
   */
  mayHaveHappened = false;

  constructor({ method, cause, status: code, text, details, neverProcessed }: Failed) {
    super(details?.message ?? `${method} got no answer: ${text}`, { cause });
    this.name = 'CallError';
    this.method = method;
    this.status = code;
    this.code = details?.code;
    this.hints = details?.hints ?? {};
    this.problems = details?.problems ?? [];
    this.retryAfterMs = details?.retryAfterMs;
    this.retryable = this.code === undefined || (isKnown(this.code) && ERROR_CODES[this.code].retryable);
    this.neverProcessed = neverProcessed;
  }

  /** Creates the error of a failed call from grpc-js' report. */
  static of(method: string, error: ServiceError): CallError {
    const details = readStatusDetails(error.metadata);
    const neverProcessed = !details && error.code === status.UNAVAILABLE && NEVER_PROCESSED.test(error.details);
    return new CallError({
      method,
      cause: error,
      status: error.code,
      details,
      neverProcessed,
      text: `${status[error.code]} ${error.details}`,
    });
  }

  /** Creates the error of a call that was not made at all. */
  static notMade(method: string, code: status, reason: unknown): CallError {
    const text = reason instanceof Error ? reason.message : String(reason);
    return new CallError({ method, cause: reason, status: code, text, neverProcessed: true });
  }
}

function isKnown(code: string): code is ErrorCode {
  return Object.hasOwn(ERROR_CODES, code);
}
