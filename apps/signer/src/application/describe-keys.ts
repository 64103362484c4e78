import type { DataKeySeal, DataKeyStore, DataKeyUse } from '../ports/data-key-store.js';
import type { Replica, ReplicaStore } from '../ports/replica-store.js';
import type { Vault, VaultDescription } from '../ports/vault.js';

/** Description of data keys, without any key material. */
export interface KeysDescription {
  readonly versions: readonly (DataKeyUse & { readonly seals: readonly DataKeySeal[] })[];
  /** Replicas that are up. */
  readonly replicas: readonly Replica[];
  /** Vault of this replica. */
  readonly vault: VaultDescription;
}

/** Describes data keys, what opens them, and who is up. */
export class DescribeKeys {
  constructor(
    private readonly dataKeys: DataKeyStore,
    private readonly replicas: ReplicaStore,
    private readonly vault: Vault,
  ) {}

  /** @throws AppError SERVICE_UNAVAILABLE */
  async execute(): Promise<KeysDescription> {
    const [uses, seals, replicas] = await Promise.all([
      this.dataKeys.describe(),
      this.dataKeys.seals(),
      this.replicas.list(),
    ]);
    const versions = uses.map((use) => ({ ...use, seals: seals.filter(({ version }) => version === use.version) }));
    return { versions, replicas, vault: this.vault.describe() };
  }
}
