import type { intentV1 } from '@agent-wallet/contracts';
import type { AcceptedPrice, AcceptedPrices } from '@agent-wallet/prices';
import type { Mint } from '@agent-wallet/solana';
import { type TradeFairness, tradeFairness } from '../../domain/trade-fairness.js';
import { valueOf } from '../../domain/value.js';
import type { PolicyChain } from '../../ports/chain.js';
import { checkShownSwap, type ShownMessage } from './check-shown-swap.js';
import { askUpstream, knownPrices, undefinedWithoutPrices } from './known-prices.js';
import { mintOnChain } from './mint-on-chain.js';

/** Value that a swap takes, and what it brings for it. */
export interface SwapValue {
  /**
   * Value that is spent, at the highest price of the last 24 hours, in micro-dollars; undefined when its price is missing,
   * stale, doubtful or cannot be requested.
   */
  readonly valueUsdMicros: bigint | undefined;
  /** Values of both sides at present prices. */
  readonly trade: TradeFairness;
}

/** Values swaps by policy's own knowledge. What comes in for it is worth nothing to the limits. */
export class PriceSwap {
  constructor(
    private readonly chain: PolicyChain,
    private readonly prices: AcceptedPrices,
  ) {}

  /**
   * Values both sides of a swap.
   * @param shown undefined when nothing is to be permitted
   * @throws AppError VALIDATION_ERROR when the intent does not fit the mints on chain, or the shown message is not its
   *   trade and nothing else; UPSTREAM_ERROR and UPSTREAM_TIMEOUT when the chain does not answer
   */
  async execute(swap: intentV1.Swap, shown?: ShownMessage): Promise<SwapValue> {
    const { output } = await askUpstream(() => this.#mints(swap));
    if (shown) await askUpstream(() => checkShownSwap(this.chain, swap, shown));
    const mints = [swap.inputMint, swap.outputMint];
    const known = (await askUpstream(() => knownPrices(this.prices, mints)).catch(undefinedWithoutPrices)) ?? new Map();
    const spent = { amount: swap.inputAmount, decimals: swap.inputDecimals };
    const brought = { amount: swap.minOutputAmount, decimals: output.decimals };
    const [inputPrice, outputPrice] = [
      priceFor(known, swap.inputMint, spent),
      priceFor(known, swap.outputMint, brought),
    ];
    return {
      valueUsdMicros: inputPrice && valueOf({ ...spent, price: inputPrice.highest, rent: undefined }),
      trade: tradeFairness(
        { ...spent, price: inputPrice?.price },
        { ...brought, price: outputPrice?.price },
        {
          maxPriceImpactBps: swap.maxPriceImpactBps,
          slippageBps: swap.slippageBps,
          takesUnpriced: swap.allowUnpricedOutput,
        },
      ),
    };
  }

  async #mints(swap: intentV1.Swap): Promise<{ readonly output: Mint }> {
    const input = { mint: swap.inputMint, tokenProgram: swap.inputTokenProgram, decimals: swap.inputDecimals };
    const [, output] = await Promise.all([
      mintOnChain(this.chain, input, {
        mint: 'intent.swap.inputMint',
        tokenProgram: 'intent.swap.inputTokenProgram',
        decimals: 'intent.swap.inputDecimals',
      }),
      mintOnChain(
        this.chain,
        { mint: swap.outputMint, tokenProgram: swap.outputTokenProgram },
        { mint: 'intent.swap.outputMint', tokenProgram: 'intent.swap.outputTokenProgram' },
      ),
    ]);
    return { output };
  }
}

/** Returns the price of a mint; a price for a token of other decimals is the price of something else. */
function priceFor(
  known: ReadonlyMap<string, AcceptedPrice>,
  mint: string,
  { decimals }: { readonly decimals: number },
): AcceptedPrice | undefined {
  const price = known.get(mint);
  return price?.decimals === decimals ? price : undefined;
}
