import { AppError, type Facts, type FieldProblem, isErrorCode } from '@agent-wallet/kernel';

/** An error as it is kept in the row: all that a caller gets, and nothing else. */
export interface RecordedError {
  readonly code: string;
  readonly message: string;
  readonly details: readonly FieldProblem[];
  readonly data: Facts;
}

/** Returns the parts of an error that are stored. */
export function toRecordedError({ code, message, details, data }: AppError): RecordedError {
  return { code, message, details, data };
}

/** Restores a stored error for a repeat of the request. */
export function fromRecordedError({ code, ...options }: RecordedError): AppError {
  return AppError.received(isErrorCode(code) ? code : 'INTERNAL_ERROR', options);
}
