export { keyFromBase58, toBase58 } from './base58.js';
export { batchHash, type ChainedBatch, type ChainedEvent, eventHash, HASH_BYTES, NO_HASH } from './chain.js';
export {
  type Checkpoint,
  checkpointBytes,
  type CheckpointClaim,
  type CheckpointScope,
  isCheckpointScope,
} from './checkpoint.js';
