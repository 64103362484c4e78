import { AppError, assertUuid } from '@agent-wallet/kernel';
import { type DataKey, makeSealedKey } from '../domain/sealed-key.js';
import type { KeyStore } from '../ports/key-store.js';
import type { OpenedKeys } from './opened-keys.js';

/** Makes the key of an agent. */
export class CreateKey {
  constructor(
    private readonly store: KeyStore,
    private readonly opened: OpenedKeys,
    private readonly dataKey: DataKey,
  ) {}

  /**
   * The address of the agent's one key, made now unless there is one. An address is only told of a key that opens: money
   * sent to any other would be lost.
   * @throws AppError VALIDATION_ERROR, SERVICE_UNAVAILABLE; SealBroken
   */
  async execute(agentId: string): Promise<string> {
    assertUuid('agentId', agentId);
    const existing = await this.opened.get(agentId);
    if (existing) return existing.address;
    await this.store.add(makeSealedKey(agentId, this.dataKey));
    // Another call may have been first: what is stored counts.
    const stored = await this.opened.get(agentId);
    if (!stored) throw new AppError('INTERNAL_ERROR', { cause: new Error('a key that was added is not there') });
    return stored.address;
  }
}
