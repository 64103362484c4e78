import { AppError, assertUuid } from '@agent-wallet/kernel';
import { isReservedId, SYSTEM_WALLET_IDS, type SystemWallet } from '../domain/system-wallet.js';
import { ensureKey, type KeyRing } from './ensure-key.js';

/** Makes the keys of agents, and of the operator's own wallets. */
export class CreateKey {
  constructor(private readonly keys: KeyRing) {}

  /**
   * The address of the agent's one key, made now unless there is one. An address is only returned for a key that opens:
   * money sent to any other would be lost.
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
    return (await ensureKey(ownerId, this.keys)).address;
  }
}
