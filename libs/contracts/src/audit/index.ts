export { keyFromBase58, toBase58 } from './base58.js';
export { batchHash, type ChainedBatch, type ChainedEvent, eventHash, HASH_BYTES, NO_HASH } from './chain.js';
export {
  type Checkpoint,
  checkpointBytes,
  type CheckpointClaim,
  type CheckpointScope,
  isCheckpointScope,
  isGenuine,
} from './checkpoint.js';
export type { AuditRecord, Finding, StoredBatch, StoredCheckpoint, StoredEvent } from './records.js';
export { LogVerifier, type Surroundings, type Verdict } from './verify.js';
