import type { SealedKey } from '../domain/sealed-key.js';

/** A key as it was read, and the same key as it is to be kept. */
export interface KeyChange {
  readonly from: SealedKey;
  readonly to: SealedKey;
}

/** Store of agents' sealed keys. */
export interface KeyStore {
  /** Returns the agent's key; undefined when it has none. @throws AppError SERVICE_UNAVAILABLE */
  find(agentId: string): Promise<SealedKey | undefined>;
  /**
   * Keeps a key unless the agent has one already: then nothing changes. False when its data key is gone.
   * @throws AppError SERVICE_UNAVAILABLE
   */
  add(key: SealedKey): Promise<boolean>;
  /** Keys under other data keys than this one, in the order of agents. @throws AppError SERVICE_UNAVAILABLE */
  listUnderOthers(version: number, page: { readonly after: string; readonly max: number }): Promise<SealedKey[]>;
  /** Counts the keys under other data keys than this one. @throws AppError SERVICE_UNAVAILABLE */
  countUnderOthers(version: number): Promise<number>;
  /**
   * Puts keys in the place of those they were made of; what was changed meanwhile stays as it is. Returns how many.
   * @throws AppError SERVICE_UNAVAILABLE
   */
  replace(changes: readonly KeyChange[]): Promise<number>;
}
