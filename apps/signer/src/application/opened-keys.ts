import type { KeyObject } from 'node:crypto';
import { addressOf } from '@agent-wallet/solana/checks';
import type { Clock } from '@agent-wallet/kernel';
import { openSealedKey, SealBroken } from '../domain/sealed-key.js';
import type { KeyStore } from '../ports/key-store.js';
import type { DataKeys } from './data-keys.js';

/** A key that can sign. */
export interface OpenedKey {
  /** Base58 address of the agent's wallet. */
  readonly address: string;
  readonly privateKey: KeyObject;
}

/** How many keys may be open, and for how long. */
export interface OpenKeyLimits {
  readonly maxCount: number;
  readonly ttlMs: number;
}

interface Entry {
  readonly key: OpenedKey;
  readonly openedAtMs: number;
}

/** Opens agents' keys, and keeps those used last open for a while: opening costs twice as much as a signature. */
export class OpenedKeys {
  readonly #entries = new Map<string, Entry>();

  constructor(
    private readonly store: Pick<KeyStore, 'find'>,
    private readonly dataKeys: Pick<DataKeys, 'find'>,
    private readonly limits: OpenKeyLimits,
    private readonly clock: Clock,
  ) {}

  /** How many are open now. */
  get count(): number {
    return this.#entries.size;
  }

  /** The agent's key; undefined when it has none. @throws SealBroken, AppError SERVICE_UNAVAILABLE */
  async get(agentId: string): Promise<OpenedKey | undefined> {
    const open = this.#entries.get(agentId);
    if (open && !this.#isExpired(open)) {
      this.#keep(agentId, open);
      return open.key;
    }
    const key = await this.#open(agentId);
    if (key) this.#keep(agentId, { key, openedAtMs: this.clock.nowMs() });
    return key;
  }

  /** Lets go of every key whose time is over. */
  closeExpired(): void {
    for (const [agentId, entry] of this.#entries) {
      if (this.#isExpired(entry)) this.#entries.delete(agentId);
    }
  }

  /** Lets go of every key. */
  closeAll(): void {
    this.#entries.clear();
  }

  async #open(agentId: string): Promise<OpenedKey | undefined> {
    // Between two reads a key may come under another data key, and the one before may be retired.
    for (let tries = 0; tries < 2; tries += 1) {
      const sealed = await this.store.find(agentId);
      if (!sealed) return undefined;
      const dataKey = await this.dataKeys.find(sealed.keyVersion);
      if (dataKey) return { address: addressOf(sealed.publicKey), privateKey: openSealedKey(sealed, dataKey) };
    }
    throw new SealBroken(agentId, { cause: new Error('its data key does not open here') });
  }

  #isExpired(entry: Entry): boolean {
    return this.clock.nowMs() - entry.openedAtMs >= this.limits.ttlMs;
  }

  /** A map iterates in the order of insertion: the first entry is the one not used for longest. */
  #keep(agentId: string, entry: Entry): void {
    this.#entries.delete(agentId);
    this.#entries.set(agentId, entry);
    if (this.#entries.size <= this.limits.maxCount) return;
    const [oldest] = this.#entries.keys();
    this.#entries.delete(oldest!);
  }
}
