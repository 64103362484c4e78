import type { intentV1 } from '@agent-wallet/contracts';
import type { AcceptedPrices } from '@agent-wallet/prices';
import type { Mint } from '@agent-wallet/solana';
import type { SpentToken } from '../../domain/passing-amount.js';
import { type TradeFairness, tradeFairness } from '../../domain/trade-fairness.js';
import { valueOf } from '../../domain/value.js';
import type { PolicyChain } from '../../ports/chain.js';
import type { UnpricedMint } from '../../ports/reservation-store.js';
import { checkShownSwap, type ShownMessage } from './check-shown-swap.js';
import { askUpstream, hasNoMarket, priceOf, readPrices, undefinedWithoutPrices } from './known-prices.js';
import type { LiquidityMints } from './liquidity-mints.js';
import { mintOnChain } from './mint-on-chain.js';

/** Value that a swap takes, and what it brings for it. */
export interface SwapValue {
  /**
   * Value that is spent, at the highest price of the last 24 hours, in micro-dollars; undefined when its price is missing,
   * stale, doubtful or cannot be requested, when that of the output may come back, and of a liquidity token.
   */
  readonly valueUsdMicros: bigint | undefined;
  /** The token that it spends; undefined without a value. */
  readonly spent: SpentToken | undefined;
  /** The input without a market that leaves `valueUsdMicros` undefined; undefined otherwise. */
  readonly unpriced: UnpricedMint | undefined;
  /** Values of both sides at present prices. */
  readonly trade: TradeFairness;
}

/** Values swaps by policy's own knowledge. What comes in for it is worth nothing to the limits. */
export class PriceSwap {
  constructor(
    private readonly chain: PolicyChain,
    private readonly prices: AcceptedPrices,
    private readonly liquidityMints: LiquidityMints,
  ) {}

  /**
   * Values both sides of a swap.
   * @param shown undefined when nothing is to be permitted
   * @throws AppError VALIDATION_ERROR when the intent does not fit the mints on chain, or the shown message is not its
   *   trade and nothing else; UPSTREAM_ERROR and UPSTREAM_TIMEOUT when the chain does not answer
   */
  async execute(swap: intentV1.Swap, shown?: ShownMessage): Promise<SwapValue> {
    const { output, isLiquidity } = await askUpstream(() => this.#mints(swap));
    if (shown) await askUpstream(() => checkShownSwap(this.chain, swap, shown));
    const mints = [swap.inputMint, swap.outputMint];
    const found = (await askUpstream(() => readPrices(this.prices, mints)).catch(undefinedWithoutPrices)) ?? new Map();
    const spent = { mint: swap.inputMint, amount: swap.inputAmount, decimals: swap.inputDecimals };
    const brought = { mint: swap.outputMint, amount: swap.minOutputAmount, decimals: output.decimals };
    const [inputPrice, outputPrice] = [priceOf(found, spent), priceOf(found, brought)];
    // Prices that are missing at present may be there soon: the trade is then neither fair nor unfair.
    const isJudgeable = outputPrice !== undefined || hasNoMarket(found, swap.outputMint);
    const mayLeave = isJudgeable && !isLiquidity;
    const price = mayLeave ? inputPrice?.highest : undefined;
    return {
      valueUsdMicros: price && valueOf({ ...spent, price, rent: undefined }),
      spent: price && { mint: spent.mint, decimals: spent.decimals, price, fee: 0n, otherUsdMicros: 0n },
      unpriced: mayLeave && hasNoMarket(found, spent.mint) ? { mint: spent.mint, otherUsdMicros: 0n } : undefined,
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

  async #mints(swap: intentV1.Swap): Promise<{ readonly output: Mint; readonly isLiquidity: boolean }> {
    const input = { mint: swap.inputMint, tokenProgram: swap.inputTokenProgram, decimals: swap.inputDecimals };
    const [, output, isLiquidity] = await Promise.all([
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
      this.liquidityMints.has(swap.inputMint),
    ]);
    return { output, isLiquidity };
  }
}
