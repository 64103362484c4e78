import type { KeyMaker } from '../../ports/key-maker.js';
import type { WalletStore } from '../../ports/wallet-store.js';

/** A wallet, and whether this call made it. */
interface CreatedWallet {
  readonly address: string;
  readonly created: boolean;
}

/** Makes the wallet of an agent. The signer makes one key an agent, so this can be repeated after any failure. */
export class CreateWallet {
  constructor(
    private readonly wallets: WalletStore,
    private readonly keys: KeyMaker,
  ) {}

  async execute(agentId: string): Promise<CreatedWallet> {
    const known = await this.wallets.find(agentId);
    if (known) return { address: known, created: false };
    const address = await this.keys.createKey(agentId);
    return { address, created: await this.wallets.add(agentId, address) };
  }
}
