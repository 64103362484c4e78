import type { WalletStore } from '../../ports/wallet-store.js';
import { walletAddressOf } from '../operations/preparation.js';

/** The wallet that an agent has. */
export class GetWallet {
  constructor(private readonly wallets: WalletStore) {}

  /** @throws AppError NOT_FOUND when it has none yet */
  async execute(agentId: string): Promise<{ readonly address: string }> {
    return { address: await walletAddressOf(this.wallets, agentId) };
  }
}
