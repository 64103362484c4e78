import type { UnreadableStore } from '../../ports/unreadable-store.js';
import { recordCredits, type RecordOptions } from './record-credits.js';

/** So many a round, for a stranger can have any number of them stored. */
const RETRIED_AT_ONCE = 10;

/** Dependencies of retries. */
interface RetryOptions extends RecordOptions {
  readonly unreadable: UnreadableStore;
}

/**
 * Reads transactions again that no node could show before: the node may have learned their version meanwhile.
 * @returns false: what more is due waits for the next round, which keeps the pace
 */
export async function retryUnreadable(options: RetryOptions): Promise<boolean> {
  const signatures = await options.unreadable.claim(RETRIED_AT_ONCE);
  const entries = signatures.map((signature) => ({ signature, commitment: 'finalized' as const }));
  const failures = await recordCredits(options, entries);
  await options.unreadable.remove(signatures.filter((signature) => !failures.has(signature)));
  return false;
}
