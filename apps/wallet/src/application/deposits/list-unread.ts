import type { AddressSignature } from '@agent-wallet/solana';
import type { DepositChain } from '../../ports/deposit-chain.js';
import type { UnreadAccount } from '../../ports/watched-account-store.js';

const PAGE_COUNT = 1_000;
/** Longest list that is kept, from its oldest entry: the cursor moves past them, and the others are listed again. */
const MAX_KEPT = 10_000;

/** So often a list is taken for late; then the balance may have changed back because the chain undid something. */
const MAX_LATE = 5;

/** The node's list does not show yet what its balances show. */
class ListLags extends Error {}

/** Signatures that are newer than a cursor. */
export interface UnreadEntries {
  /** The oldest first, without a gap after the cursor. */
  readonly entries: readonly AddressSignature[];
  /** The newest of those that are too many for the list; the cursor must not move to them. */
  readonly newest: readonly AddressSignature[];
}

/**
 * Signatures that name an account and are newer than its cursor, the oldest first. Every page comes from a node that
 * has seen as much as was seen before: another one might know neither the cursor nor the page before, and would end
 * the list too early.
 * @throws ListLags, and AppError of the chain
 */
export async function listUnread(
  chain: Pick<DepositChain, 'signaturesForAddress'>,
  { address, balanceSlot, previousSlot, cursorSignature, cursorSlot, failures }: UnreadAccount,
): Promise<UnreadEntries> {
  let kept: AddressSignature[] = [];
  let newest: readonly AddressSignature[] | undefined;
  let minContextSlot = Math.max(balanceSlot, cursorSlot);
  let before: string | undefined;
  for (;;) {
    const page = await chain.signaturesForAddress(address, {
      commitment: 'confirmed',
      limit: PAGE_COUNT,
      minContextSlot,
      ...(cursorSignature ? { until: cursorSignature } : {}),
      ...(before ? { before } : {}),
    });
    // A node that has forgotten the cursor goes on beyond it.
    const unread = page.filter(({ slot }) => slot >= cursorSlot);
    kept = [...kept, ...unread].slice(-MAX_KEPT);
    newest ??= unread;
    minContextSlot = Math.max(minContextSlot, page[0]?.slot ?? 0);
    if (unread.length < PAGE_COUNT) break;
    before = page.at(-1)!.signature;
  }
  const newestSlot = Math.max(cursorSlot, newest[0]?.slot ?? 0);
  if (previousSlot > 0 && newestSlot <= previousSlot && failures < MAX_LATE)
    throw new ListLags('the list ends before the change');
  const listed = new Set(kept);
  return { entries: kept.toReversed(), newest: newest.filter((entry) => !listed.has(entry)).toReversed() };
}
