import { type ErrorCode, errorEntry } from './catalogue.js';

/** One field that is wrong, by its public name, and why. */
export interface FieldProblem {
  readonly field: string;
  readonly reason: string;
}

interface AppErrorOptions {
  /** What the caller can read; the catalogue's message when omitted. */
  readonly message?: string;
  /** The fields that are wrong. */
  readonly details?: readonly FieldProblem[];
  /** Further facts for the caller, flat and without secrets; travels as ErrorInfo metadata. */
  readonly data?: Readonly<Record<string, string>>;
  /** What went wrong underneath; for the log only. */
  readonly cause?: unknown;
}

/** An error of the catalogue: the only kind that a caller ever sees. */
export class AppError extends Error {
  readonly details: readonly FieldProblem[];
  readonly data: Readonly<Record<string, string>>;

  constructor(
    readonly code: ErrorCode,
    options: AppErrorOptions = {},
  ) {
    super(options.message ?? errorEntry(code).message, { cause: options.cause });
    this.name = 'AppError';
    this.details = options.details ?? [];
    this.data = options.data ?? {};
  }

  /** VALIDATION_ERROR (or another code of a 400) for one field. */
  static field(field: string, reason: string, code: ErrorCode = 'VALIDATION_ERROR'): AppError {
    return new AppError(code, { message: `${field} ${reason}`, details: [{ field, reason }] });
  }
}
