import { readAddress, readArray, readAtSlot, readCount, readFields, ShapeError } from './shapes.js';
import { readStatus } from './read-transaction.js';
import type { ChainHead, RecentBlockhash, SignatureStatusAtSlot } from './solana-chain.js';

/** Reads the result of getLatestBlockhash. @throws ShapeError */
export function readBlockhash(result: unknown): RecentBlockhash {
  const { slot, value } = readAtSlot(result);
  const { blockhash, lastValidBlockHeight } = readFields(value, 'the value');
  return {
    blockhash: readAddress(blockhash, 'the blockhash'),
    lastValidBlockHeight: readCount(lastValidBlockHeight, 'the last valid block height'),
    slot,
  };
}

/** Reads the result of getEpochInfo. @throws ShapeError */
export function readHead(result: unknown): ChainHead {
  const { absoluteSlot, blockHeight, epoch } = readFields(result, 'the epoch info');
  return {
    slot: readCount(absoluteSlot, 'the slot'),
    blockHeight: readCount(blockHeight, 'the block height'),
    epoch: readCount(epoch, 'the epoch'),
  };
}

/** Reads the result of getSignatureStatuses. @throws ShapeError */
export function readStatuses(result: unknown, count: number): SignatureStatusAtSlot[] {
  const { slot, value } = readAtSlot(result);
  const statuses = readArray(value, 'the statuses').map((status) => ({
    contextSlot: slot,
    status: readStatus(status),
  }));
  if (statuses.length !== count) throw new ShapeError('not as many statuses as were asked for');
  return statuses;
}
