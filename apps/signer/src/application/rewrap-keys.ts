import { AppError, isUuid, NIL_UUID } from '@agent-wallet/kernel';
import { type DataKey, rewrapSealedKey, SealBroken, type SealedKey } from '../domain/sealed-key.js';
import type { DataKeyStore } from '../ports/data-key-store.js';
import type { KeyChange, KeyStore } from '../ports/key-store.js';
import type { Replica, ReplicaStore } from '../ports/replica-store.js';
import type { DataKeys } from './data-keys.js';

/** Most keys that one call may process. */
const MAX_REWRAPPED = 1_000;

/** Progress of one call. */
export interface Rewrapped {
  readonly version: number;
  readonly rewrapped: number;
  readonly remaining: number;
  /** Agents whose keys do not open. */
  readonly undecryptableAgentIds: readonly string[];
  /** Start of the next call; empty when all keys were processed. */
  readonly nextAfter: string;
}

/**
 * Encrypts keys again under the newest data key, while signing goes on: each key opens before and after, at every replica.
 * A key that is changed meanwhile stays as it was changed.
 */
export class RewrapKeys {
  constructor(
    private readonly dependencies: {
      readonly dataKeys: DataKeys;
      readonly dataKeyStore: DataKeyStore;
      readonly store: KeyStore;
      readonly replicas: ReplicaStore;
    },
  ) {}

  /** @throws AppError VALIDATION_ERROR, also while a replica cannot open the newest data key; SERVICE_UNAVAILABLE */
  async execute(max: number, after: string): Promise<Rewrapped> {
    if (max < 1 || max > MAX_REWRAPPED) throw AppError.field('max', `must be 1 to ${MAX_REWRAPPED}`);
    if (after !== '' && !isUuid(after)) throw AppError.field('after', 'must be the id of an agent, or empty');
    const { store } = this.dependencies;
    const to = await this.#target();
    const page = await store.listUnderOthers(to.version, { after: after || NIL_UUID, max });
    const { changes, undecryptableAgentIds } = await this.#rewrapped(page, to);
    return {
      version: to.version,
      rewrapped: await store.replace(changes),
      remaining: await store.countUnderOthers(to.version),
      undecryptableAgentIds,
      nextAfter: page.length < max ? '' : page.at(-1)!.agentId,
    };
  }

  async #rewrapped(
    page: readonly SealedKey[],
    to: DataKey,
  ): Promise<{ changes: KeyChange[]; undecryptableAgentIds: string[] }> {
    const [changes, undecryptableAgentIds]: [KeyChange[], string[]] = [[], []];
    for (const sealed of page) {
      const from = await this.dependencies.dataKeys.find(sealed.keyVersion);
      try {
        if (!from) throw new SealBroken(sealed.agentId);
        changes.push({ from: sealed, to: rewrapSealedKey(sealed, { from, to }) });
      } catch (error) {
        if (!(error instanceof SealBroken)) throw error;
        undecryptableAgentIds.push(sealed.agentId);
      }
    }
    return { changes, undecryptableAgentIds };
  }

  /** Returns the newest data key, once every running replica has it open. */
  async #target(): Promise<DataKey> {
    const { dataKeyStore, dataKeys, replicas } = this.dependencies;
    const { version } = (await dataKeyStore.describe()).at(-1)!;
    const to = await dataKeys.find(version);
    if (!to) throw AppError.field('dataKey', `${version} does not open at the signer that was asked`);
    const others = (await replicas.list()).filter(({ versions }) => !versions.includes(version));
    if (others.length > 0) {
      throw AppError.field(
        'dataKey',
        `${version} does not open at every signer: not at ${others.map(nameOf).join(', ')}`,
      );
    }
    return to;
  }
}

function nameOf({ ephemeralKey, vault, versions }: Replica): string {
  const name = `${vault.driver}${vault.id && ` ${vault.id}`}`;
  return `the one of the boot ${ephemeralKey.toString('hex').slice(0, 8)} (${name}; open: ${versions.join(', ')})`;
}
