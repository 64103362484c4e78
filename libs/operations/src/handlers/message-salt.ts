/** A blockhash this old costs a message 2 s of its minute, and spares a call. */
export const BLOCKHASH_MAX_AGE_MS = 2_000;

/**
 * Returns a salt from the random end of the operation's ID. Without one, the same request twice within one blockhash is
 * the same bytes and signature, and happens once. Should two salts agree by chance, the later message cannot be stored
 * and is rebuilt until a new blockhash makes it another one.
 */
export function saltOf(operationId: string): number {
  return Number.parseInt(operationId.slice(-4), 16);
}
