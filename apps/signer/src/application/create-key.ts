import { AppError, assertUuid } from '@agent-wallet/kernel';
import { type DataKey, makeSealedKey } from '../domain/sealed-key.js';
import { isReservedId, SYSTEM_WALLET_IDS, type SystemWallet } from '../domain/system-wallet.js';
import type { KeyStore } from '../ports/key-store.js';
import type { OpenedKeys } from './opened-keys.js';

/** Makes the keys of agents, and of the operator's own wallets. */
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
  async ofAgent(agentId: string): Promise<string> {
    assertUuid('agentId', agentId);
    if (isReservedId(agentId)) throw AppError.field('agentId', 'must be the id of an agent');
    return this.#addressOf(agentId);
  }

  /** The same for a wallet of the operator. @throws AppError SERVICE_UNAVAILABLE; SealBroken */
  async ofSystemWallet(wallet: SystemWallet): Promise<string> {
    return this.#addressOf(SYSTEM_WALLET_IDS[wallet]);
  }

  async #addressOf(ownerId: string): Promise<string> {
    const existing = await this.opened.get(ownerId);
    if (existing) return existing.address;
    await this.store.add(makeSealedKey(ownerId, this.dataKey));
    // Another call may have been first: what is stored counts.
    const stored = await this.opened.get(ownerId);
    if (!stored) throw new AppError('INTERNAL_ERROR', { cause: new Error('a key that was added is not there') });
    return stored.address;
  }
}
