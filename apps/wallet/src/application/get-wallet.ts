import type { Wallets } from '../ports/wallets.js';
import { walletAddressOf } from './wallet-address-of.js';

/** The wallet that an agent has. */
export class GetWallet {
  constructor(private readonly wallets: Wallets) {}

  /** @throws AppError NOT_FOUND when it has none yet */
  async execute(agentId: string): Promise<{ readonly address: string }> {
    return { address: await walletAddressOf(this.wallets, agentId) };
  }
}
