import { v7 as uuidV7, validate } from 'uuid';

/** A new UUIDv7: unique, and sorting by the time it was made. */
export function newId(): string {
  return uuidV7();
}

/** Whether a text is a UUID of any version. */
export function isUuid(putative: string): boolean {
  return validate(putative);
}
