import { v7 as uuidV7, validate } from 'uuid';
import { AppError } from './errors/app-error.js';

/** A new UUIDv7: unique, and sorting by the time it was made. */
export function newId(): string {
  return uuidV7();
}

/** Whether a text is a UUID of any version. */
export function isUuid(putative: string): boolean {
  return validate(putative);
}

/** Takes a text as the UUID in a field. @throws AppError VALIDATION_ERROR naming the field */
export function assertUuid(field: string, putative: string): void {
  if (!isUuid(putative)) throw AppError.field(field, 'must be a UUID');
}
