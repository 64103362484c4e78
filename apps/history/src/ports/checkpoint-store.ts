import type { Checkpoint, CheckpointClaim } from '@agent-wallet/contracts/audit';

/** What is to be signed: how far chains have grown. */
export type Growth = Omit<CheckpointClaim, 'signedAtMs'>;

/** How far the log had grown at the last checkpoint, and how far it has now. */
export interface LogGrowth {
  /** The log's own claim, then those of the agents in it whose chains have grown. */
  readonly claims: readonly Growth[];
  /** Whether there is more of the log behind it. */
  readonly hasMore: boolean;
}

/** Where checkpoints are kept. */
export interface CheckpointStore {
  /**
   * Has the next stretch of the log signed, and keeps what comes back: all of it, or nothing. Of several replicas one
   * does it at a time; the others do nothing.
   * @returns whether there is more to do at once
   */
  extend(sign: (claims: readonly Growth[]) => Promise<readonly Checkpoint[]>): Promise<boolean>;
}

/** Signs checkpoints. @throws AppError, RpcFailure */
export interface CheckpointSigner {
  /** In the order of the claims, as many as one call takes. */
  sign(claims: readonly Growth[]): Promise<readonly Checkpoint[]>;
}
