import type { Checkpoint, CheckpointClaim } from '@agent-wallet/contracts/audit';

/** Growth of a chain that is to be signed. */
export type Growth = Omit<CheckpointClaim, 'signedAtMs'>;

/** Growth of the log since the last checkpoint. */
export interface LogGrowth {
  /** The log's own claim, then those of the agents in it whose chains have grown. */
  readonly claims: readonly Growth[];
  /** Whether there is more of the log behind it. */
  readonly hasMore: boolean;
}

/** Store of checkpoints. */
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
  /** Signs claims, as many as one call takes; returns checkpoints in the order of the claims. */
  sign(claims: readonly Growth[]): Promise<readonly Checkpoint[]>;
}
