import type { ReplicaStore } from '../ports/replica-store.js';
import type { Vault } from '../ports/vault.js';
import type { DataKeys } from './data-keys.js';

/** After so many rounds, data keys that did not open are tried once more: a vault may have been away. */
const ROUNDS_BETWEEN_TRIES = 15;

/** Reports to the others that this replica is up and which data keys it has open, and reads which ones they have. */
export class Heartbeat {
  #rounds = 0;

  constructor(
    private readonly dependencies: {
      readonly dataKeys: DataKeys;
      readonly replicas: ReplicaStore;
      readonly vault: Vault;
      /** Public key of this boot. */
      readonly ephemeralKey: Buffer;
    },
  ) {}

  /** @throws AppError SERVICE_UNAVAILABLE */
  async execute(): Promise<void> {
    const { dataKeys, replicas, vault, ephemeralKey } = this.dependencies;
    this.#rounds += 1;
    await dataKeys.reload(this.#rounds % ROUNDS_BETWEEN_TRIES === 0);
    await replicas.heartbeat({ ephemeralKey, vault: vault.describe(), versions: dataKeys.versions });
    dataKeys.noteReplicas(await replicas.list());
  }

  /** Says that this replica goes. Without a database that stays unknown, and it counts as up for some seconds more. */
  async end(): Promise<void> {
    await this.dependencies.replicas.leave(this.dependencies.ephemeralKey).catch(() => undefined);
  }
}
