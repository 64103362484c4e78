import type { KeyObject } from 'node:crypto';
import { addressOf } from '@agent-wallet/solana/checks';
import { type Clock, RecentlyUsed } from '@agent-wallet/kernel';
import { openSealedKey, SealBroken, type SealedKey } from '../domain/sealed-key.js';
import type { KeyStore } from '../ports/key-store.js';
import type { DataKeys } from './data-keys.js';

/** A key that can sign. */
export interface OpenedKey {
  /** Base58 address of the agent's wallet. */
  readonly address: string;
  readonly privateKey: KeyObject;
}

/** Limits on keys: number of open ones, time that they stay open, and number kept sealed. */
export interface OpenKeyLimits {
  readonly maxCount: number;
  readonly ttlMs: number;
  readonly maxSealedCount: number;
}

interface Entry {
  readonly key: OpenedKey;
  readonly openedAtMs: number;
}

/**
 * Opens agents' keys, and keeps those used last open for a while: opening costs twice as much as a signature. What is sealed
 * is kept for longer, as it stood in the database: it is not secret, and reading it costs more than opening it.
 */
export class OpenedKeys {
  readonly #entries: RecentlyUsed<Entry>;
  readonly #sealed: RecentlyUsed<SealedKey>;

  constructor(
    private readonly store: Pick<KeyStore, 'find'>,
    private readonly dataKeys: Pick<DataKeys, 'find'>,
    private readonly limits: OpenKeyLimits,
    private readonly clock: Clock,
  ) {
    this.#entries = new RecentlyUsed(limits.maxCount);
    this.#sealed = new RecentlyUsed(limits.maxSealedCount);
  }

  /** Number of keys that are open now. */
  get count(): number {
    return this.#entries.count;
  }

  /** Returns the agent's key; undefined when it has none. @throws SealBroken, AppError SERVICE_UNAVAILABLE */
  async get(agentId: string): Promise<OpenedKey | undefined> {
    const open = this.#entries.use(agentId);
    if (open && !this.#isExpired(open)) return open.key;
    const key = await this.#open(agentId);
    if (key && this.limits.ttlMs > 0) this.#entries.keep(agentId, { key, openedAtMs: this.clock.nowMs() });
    return key;
  }

  /** Lets go of every key whose time is over. */
  closeExpired(): void {
    this.#entries.dropWhere((entry) => this.#isExpired(entry));
  }

  /** Lets go of every key. */
  closeAll(): void {
    this.#entries.clear();
  }

  async #open(agentId: string): Promise<OpenedKey | undefined> {
    const kept = this.#sealed.use(agentId);
    const key = kept && (await this.#opened(kept));
    if (key) return key;
    // Between two reads a key may come under another data key, and the one before may be retired.
    for (let tries = 0; tries < 2; tries += 1) {
      const sealed = await this.store.find(agentId);
      if (!sealed) return undefined;
      const read = await this.#opened(sealed);
      if (!read) continue;
      this.#sealed.keep(agentId, sealed);
      return read;
    }
    throw new SealBroken(agentId, { cause: new Error('its data key does not open here') });
  }

  /** Opens a sealed key; undefined when its data key is not here. @throws SealBroken */
  async #opened(sealed: SealedKey): Promise<OpenedKey | undefined> {
    const dataKey = await this.dataKeys.find(sealed.keyVersion);
    return dataKey && { address: addressOf(sealed.publicKey), privateKey: openSealedKey(sealed, dataKey) };
  }

  /**
   * Returns whether a key has been open too long. A clock that was set back cannot tell, so the key counts as expired.
   */
  #isExpired({ openedAtMs }: Entry): boolean {
    const ageMs = this.clock.nowMs() - openedAtMs;
    return ageMs < 0 || ageMs >= this.limits.ttlMs;
  }
}
