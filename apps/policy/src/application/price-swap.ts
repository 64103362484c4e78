import type { intentV1 } from '@agent-wallet/contracts';
import type { UsdPrices } from '@agent-wallet/prices';
import { valueOf } from '../domain/value.js';
import type { PolicyChain } from '../ports/chain.js';
import { knownPrices, patiently, undefinedWithoutPrices } from './known-prices.js';
import { mintOnChain } from './mint-on-chain.js';

/** Values swaps by policy's own knowledge. What comes in for it is worth nothing to the limits. */
export class PriceSwap {
  constructor(
    private readonly chain: PolicyChain,
    private readonly prices: UsdPrices,
  ) {}

  /**
   * What is spent, in micro-dollars; undefined when its price is missing, stale, doubtful or cannot be asked for.
   * @throws AppError VALIDATION_ERROR when the intent does not fit the mints on chain; UPSTREAM_ERROR and
   *   UPSTREAM_TIMEOUT when the chain does not answer
   */
  async execute(swap: intentV1.Swap): Promise<bigint | undefined> {
    await patiently(() => this.#checkMints(swap));
    return patiently(() => this.#valueUsdMicros(swap)).catch(undefinedWithoutPrices);
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

  async #valueUsdMicros({ inputMint, inputAmount, inputDecimals }: intentV1.Swap): Promise<bigint | undefined> {
    const price = (await knownPrices(this.prices, [inputMint])).get(inputMint);
    // A price for a token of other decimals is the price of something else.
    if (price?.decimals !== inputDecimals) return undefined;
    return valueOf({ amount: inputAmount, decimals: inputDecimals, price: price.price, rent: undefined });
  }
}
