import type { VaultDescription } from './vault.js';

/** A signer that is up. */
export interface Replica {
  /** The public key of its boot, 32 bytes. */
  readonly ephemeralKey: Buffer;
  readonly vault: Pick<VaultDescription, 'id'> & { readonly driver: string };
  /** The data keys that it has open. */
  readonly versions: readonly number[];
  readonly seenAtMs: number;
}

/** Store in which the signers of one deployment see each other. */
export interface ReplicaStore {
  /** Says that this one is up, or still up. @throws AppError SERVICE_UNAVAILABLE */
  heartbeat(replica: Omit<Replica, 'seenAtMs'>): Promise<void>;
  /** Returns the replicas seen lately. @throws AppError SERVICE_UNAVAILABLE */
  list(): Promise<readonly Replica[]>;
  /** Says that this one is not up any more. @throws AppError SERVICE_UNAVAILABLE */
  leave(ephemeralKey: Buffer): Promise<void>;
}
