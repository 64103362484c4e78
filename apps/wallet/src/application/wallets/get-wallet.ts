import type { Operator } from '../../domain/operator.js';
import type { WalletStore } from '../../ports/wallet-store.js';
import { walletAddressOf } from '../operations/preparation.js';

/** The wallet that an agent has. */
export class GetWallet {
  constructor(
    private readonly wallets: WalletStore,
    private readonly operator: Pick<Operator, 'sponsor'>,
  ) {}

  /**
   * Returns its address, and that of the wallet that pays the network for agents that cannot, where there is one.
   * @throws AppError NOT_FOUND when it has none yet
   */
  async execute(agentId: string): Promise<{ readonly address: string; readonly sponsorAddress?: string | undefined }> {
    return { address: await walletAddressOf(this.wallets, agentId), sponsorAddress: this.operator.sponsor };
  }
}
