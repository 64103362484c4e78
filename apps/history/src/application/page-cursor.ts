import { invalidCursor, isUuid } from '@agent-wallet/kernel';
import type { Place } from '../ports/transaction-store.js';

/** Start of a page: after a record in time, or after an event in the agent's chain. */
type PageStart = Place | { readonly sequence: number };

/** Encodes a cursor as text that is opaque to callers. */
export function writeCursor(start: PageStart): string {
  const text = 'id' in start ? `${start.createdAtMs}.${start.id}` : `${start.sequence}`;
  return Buffer.from(text).toString('base64url');
}

/** Decodes a cursor; undefined for an empty one. @throws AppError VALIDATION_ERROR naming it */
export function readCursor(cursor: string): PageStart | undefined {
  if (cursor === '') return undefined;
  const [number = '', id] = Buffer.from(cursor, 'base64url').toString().split('.');
  if (!/^\d{1,14}$/.test(number) || (id !== undefined && !isUuid(id))) throw invalidCursor();
  return id === undefined ? { sequence: Number(number) } : { createdAtMs: Number(number), id };
}
