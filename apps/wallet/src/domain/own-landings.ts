import { RecentlyUsed } from '@agent-wallet/kernel';

const MOST = 10_000;

/**
 * The latest transactions that landed for this service's operations, each with the wallet that the operation is of. They
 * are not deposits for that wallet, which is known without reading them; for another wallet they may be one. What another
 * replica has carried out is not in it, and is read; nor is what closes an account, which has to be read for that.
 */
export class OwnLandings {
  readonly #wallets = new RecentlyUsed<string>(MOST);

  /** @param wallet the agent's wallet that signed, or that the treasury paid */
  add(signature: string, wallet: string): void {
    this.#wallets.keep(signature, wallet);
  }

  /** Reports whether a transaction belongs to an operation of this wallet. */
  has(signature: string, wallet: string): boolean {
    return this.#wallets.use(signature) === wallet;
  }
}
