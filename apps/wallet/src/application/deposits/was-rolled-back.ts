import type { DepositChain } from '../../ports/deposit-chain.js';

/**
 * Greatest age of the finalized head when a slot is checked against it: an old head only keeps the slot open longer.
 */
const HEAD_MAX_AGE_MS = 1_000;
const PAGE_COUNT = 1_000;
const MAX_PAGES = 20;

/** A transaction that was seen in a block, in which an account took part. */
interface SeenTransaction {
  readonly signature: string;
  readonly account: string;
  readonly slot: number;
}

/**
 * Reports whether the chain has undone a transaction. The proof needs, in this order: a *finalized* block beyond the
 * slot where it was seen; afterwards a search of the whole history that finds nothing, by a node that has seen that
 * block; and the account's own list of a node that has finalized that block, back to before the slot, without it. A
 * node that lags or has gaps, or one address with several nodes behind it, can give each half wrongly by itself. Less
 * is not proof.
 * @throws AppError of the chain; it proves nothing
 */
export async function wasRolledBack(
  chain: Pick<DepositChain, 'finalizedHead' | 'signatureStatus' | 'signaturesForAddress'>,
  { signature, account, slot }: SeenTransaction,
): Promise<boolean> {
  const head = await chain.finalizedHead({ maxAgeMs: HEAD_MAX_AGE_MS });
  if (head.slot <= slot) return false;
  const searched = await chain.signatureStatus(signature, { searchHistory: true });
  if (searched.status !== null || searched.contextSlot < head.slot) return false;
  let before: string | undefined;
  for (let pages = 0; pages < MAX_PAGES; pages += 1) {
    const page = await chain.signaturesForAddress(account, {
      commitment: 'finalized',
      limit: PAGE_COUNT,
      minContextSlot: head.slot,
      ...(before ? { before } : {}),
    });
    if (page.some((entry) => entry.signature === signature)) return false;
    const oldest = page.at(-1);
    if (!oldest || oldest.slot < slot || page.length < PAGE_COUNT) return true;
    before = oldest.signature;
  }
  return false;
}
