import type { SealedKey } from '../domain/sealed-key.js';

/** Where agents' sealed keys are kept. */
export interface KeyStore {
  /** The agent's key; undefined when it has none. @throws AppError SERVICE_UNAVAILABLE */
  find(agentId: string): Promise<SealedKey | undefined>;
  /** Keeps a key unless the agent has one already: then nothing changes. @throws AppError SERVICE_UNAVAILABLE */
  add(key: SealedKey): Promise<void>;
}
