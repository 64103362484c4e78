import { NAMED_TOKENS, RecentlyUsed } from '@agent-wallet/kernel';
import { isLiquidityMint } from '@agent-wallet/solana';
import type { PolicyChain } from '../../ports/chain.js';

/** Anyone can send an agent another token. */
const MAX_KEPT = 10_000;

const NAMED: ReadonlySet<string> = new Set(NAMED_TOKENS.map(({ mint }) => mint));

/**
 * The mints of liquidity tokens: those that only a venue's program can mint. They are worth their share of a pool, which may
 * differ from their market price. So they leave by a removal alone.
 */
export class LiquidityMints {
  readonly #kept = new RecentlyUsed<{ readonly isOfPool: boolean }>(MAX_KEPT);

  constructor(private readonly chain: Pick<PolicyChain, 'accounts'>) {}

  /**
   * Reports whether a mint is one of them, by one read of each. A pool is born with its mint, so that no other mint
   * becomes one; the venue's program never gives one up.
   * @throws AppError UPSTREAM_ERROR and UPSTREAM_TIMEOUT when the chain does not answer
   */
  async has(mint: string): Promise<boolean> {
    if (NAMED.has(mint)) return false;
    const kept = this.#kept.use(mint);
    if (kept) return kept.isOfPool;
    const { accounts } = await this.chain.accounts([mint]);
    const [account] = accounts;
    if (!account) return false;
    const isOfPool = isLiquidityMint(mint, account);
    this.#kept.keep(mint, { isOfPool });
    return isOfPool;
  }
}
