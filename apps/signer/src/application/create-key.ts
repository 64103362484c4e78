import { AppError, assertUuid } from '@agent-wallet/kernel';
import { isReservedId, SYSTEM_WALLET_IDS, type SystemWallet } from '../domain/system-wallet.js';
import { ensureKey, type KeyRing } from './ensure-key.js';

/** Makes the keys of agents, and of the operator's own wallets. */
export class CreateKey {
  constructor(private readonly keys: KeyRing) {}

  /**
   * Returns the address of the agent's one key, created now unless there is one. Only the address of a key that opens
   * is returned: money sent to any other would be lost.
   * @throws AppError VALIDATION_ERROR, SERVICE_UNAVAILABLE; SealBroken
   */
  async ofAgent(agentId: string): Promise<string> {
    assertUuid('agentId', agentId);
    if (isReservedId(agentId)) throw AppError.field('agentId', 'must be the id of an agent');
    return this.#addressOf(agentId);
  }

  /**
   * Returns the address of a wallet of the operator in the same way.
   * @throws AppError SERVICE_UNAVAILABLE; SealBroken
   */
  async ofSystemWallet(wallet: SystemWallet): Promise<string> {
    return this.#addressOf(SYSTEM_WALLET_IDS[wallet]);
  }

  async #addressOf(ownerId: string): Promise<string> {
    return (await ensureKey(ownerId, this.keys)).address;
  }
}
