import { AppError } from '@agent-wallet/kernel';

/** The chain takes a message for so many blocks after that of its blockhash. */
const MESSAGE_LIFE_BLOCKS = 150;
/** By how much the node that reported the height may lag behind the one that knew the blockhash. */
const MARGIN_BLOCKS = 32;

/**
 * Returns the last block height at which a message may land whose blockhash a node knew at a slot. One address may
 * stand for several nodes. A height from a node that lags more than the margin would declare the message dead while it
 * can land.
 * @throws AppError UPSTREAM_ERROR for such a height
 */
export function lastPossibleHeight(
  head: { readonly slot: number; readonly blockHeight: number },
  blockhashKnownAtSlot: number,
): number {
  // There are no more blocks than slots between the two.
  if (head.slot + MARGIN_BLOCKS < blockhashKnownAtSlot) {
    throw new AppError('UPSTREAM_ERROR', { cause: new Error('the node that reports the height lags') });
  }
  return head.blockHeight + MESSAGE_LIFE_BLOCKS + MARGIN_BLOCKS;
}
