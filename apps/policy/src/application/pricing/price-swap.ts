import type { intentV1 } from '@agent-wallet/contracts';
import type { AcceptedPrices } from '@agent-wallet/prices';
import type { PolicyChain } from '../../ports/chain.js';
import { checkShownSwap, type ShownMessage } from './check-shown-swap.js';
import { askUpstream, undefinedWithoutPrices } from './known-prices.js';
import { mintOnChain } from './mint-on-chain.js';
import { tokenValue } from './token-value.js';

/** Values swaps by policy's own knowledge. What comes in for it is worth nothing to the limits. */
export class PriceSwap {
  constructor(
    private readonly chain: PolicyChain,
    private readonly prices: AcceptedPrices,
  ) {}

  /**
   * Returns the value spent, in micro-dollars; undefined when its price is missing, stale, doubtful or cannot be
   * requested.
   * @param shown undefined when nothing is to be permitted
   * @throws AppError VALIDATION_ERROR when the intent does not fit the mints on chain, or the shown message is not its
   *   trade and nothing else; UPSTREAM_ERROR and UPSTREAM_TIMEOUT when the chain does not answer
   */
  async execute(swap: intentV1.Swap, shown?: ShownMessage): Promise<bigint | undefined> {
    await askUpstream(() => this.#checkMints(swap));
    if (shown) await askUpstream(() => checkShownSwap(this.chain, swap, shown));
    const spent = { mint: swap.inputMint, amount: swap.inputAmount, decimals: swap.inputDecimals };
    return askUpstream(() => tokenValue(this.prices, spent)).catch(undefinedWithoutPrices);
  }

  async #checkMints(swap: intentV1.Swap): Promise<void> {
    const input = { mint: swap.inputMint, tokenProgram: swap.inputTokenProgram, decimals: swap.inputDecimals };
    const output = { mint: swap.outputMint, tokenProgram: swap.outputTokenProgram };
    await Promise.all([
      mintOnChain(this.chain, input, {
        mint: 'intent.swap.inputMint',
        tokenProgram: 'intent.swap.inputTokenProgram',
        decimals: 'intent.swap.inputDecimals',
      }),
      mintOnChain(this.chain, output, {
        mint: 'intent.swap.outputMint',
        tokenProgram: 'intent.swap.outputTokenProgram',
      }),
    ]);
  }
}
