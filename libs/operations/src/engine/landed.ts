import { sleep } from '@agent-wallet/kernel';
import { signatureText } from '@agent-wallet/solana';
import type { Machinery } from './machinery.js';
import { retryPauseMs } from './pace.js';
import type { BuiltOperation } from '../records/operation.js';

/** A node that knows that a transaction landed may not show it yet; the caller waits meanwhile. */
const TRIES = 3;

/**
 * The operation with what its kind reads from the transaction that landed. Nothing is written yet. Money has moved, so
 * what cannot be read is done without.
 * @throws the signal's reason
 */
export async function withLanded(
  machinery: Machinery,
  record: BuiltOperation,
  { slot, signal }: { readonly slot: number; readonly signal: AbortSignal },
): Promise<BuiltOperation> {
  const kind = machinery.chainKindOf(record);
  if (!kind.landed) return record;
  const landing = { signature: signatureText(record.attempt.signature!), slot };
  for (let tries = 1; ; tries += 1) {
    try {
      const found = await kind.landed(record, record.plan, landing);
      return found ? { ...record, plan: { ...(record.plan as object), ...found } } : record;
    } catch (err) {
      const { logger, pace } = machinery.tools;
      logger.warn({ err, operation: record.id }, 'a transaction that landed could not be read');
      if (tries === TRIES) return record;
      await sleep(retryPauseMs(pace, tries - 1), signal);
    }
  }
}
