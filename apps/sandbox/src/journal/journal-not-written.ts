/** Why nothing can be written: no space is left, or its owner has used up a quota. */
const FULL = new Set(['ENOSPC', 'EDQUOT']);

/** The journal did not take a record, so what the record says did not happen. */
export class JournalNotWritten extends Error {
  constructor(cause: unknown, advice = 'try again later') {
    const { code, message } = cause as NodeJS.ErrnoException;
    const isFull = code !== undefined && FULL.has(code);
    super(`${isFull ? 'the disk is full' : `the journal cannot be written (${message})`}: ${advice}`, { cause });
    this.name = 'JournalNotWritten';
  }
}
