import type { UsdPrice } from '@agent-wallet/kernel';
import { valueInUsd } from '@agent-wallet/kernel';

/** Values of both sides of a trade at present prices, and the loss that its request tolerates. */
export interface TradeFairness {
  /** Micro-dollars, rounded up; undefined without a price. */
  readonly inputUsdMicros: bigint | undefined;
  /** Micro-dollars, rounded down; undefined without a price. */
  readonly leastOutputUsdMicros: bigint | undefined;
  /**
   * Loss from the input to the least output, in basis points of the input's value, rounded up; negative when the output is
   * worth more. Undefined without a price of the output.
   */
  readonly lossBps: number | undefined;
  /** The loss that the request tolerates. */
  readonly maxLossBps: number;
  /** Whether the request takes an output without a price. */
  readonly takesUnpriced: boolean;
  /** Whether the input goes to a pool, for a share of it. */
  readonly isOfLiquidity?: boolean;
}

/** So much of a token, and its price. */
export interface PricedAmount {
  /** Base units. */
  readonly amount: bigint;
  readonly decimals: number;
  /** Undefined without a price that counts. */
  readonly price: UsdPrice | undefined;
}

/** Terms of a request for a trade. */
export interface Tolerance {
  /** Basis points; undefined where the request names none. */
  readonly maxPriceImpactBps: number | undefined;
  readonly slippageBps: number;
  readonly takesUnpriced: boolean;
}

const ALL_BPS = 10_000n;
/** Loss of a trade whose request names none, slippage included. */
export const DEFAULT_MAX_LOSS_BPS = 1_000;
/** The largest price impact that a request may tolerate. */
export const MAX_PRICE_IMPACT_BPS = 5_000;
/** Beyond any loss, and within an integer of the database: what is gained does not matter. */
const MAX_GAIN_BPS = 1_000_000n;

/** Compares the two sides of a trade, without rounding before the comparison. */
export function tradeFairness(input: PricedAmount, leastOutput: PricedAmount, tolerance: Tolerance): TradeFairness {
  const { maxPriceImpactBps, slippageBps, takesUnpriced } = tolerance;
  return {
    inputUsdMicros: valueOfSide(input, 'up'),
    leastOutputUsdMicros: valueOfSide(leastOutput, 'down'),
    lossBps: lossBps(input, leastOutput),
    maxLossBps: maxPriceImpactBps === undefined ? DEFAULT_MAX_LOSS_BPS : maxPriceImpactBps + slippageBps,
    takesUnpriced,
  };
}

/** Loss that an addition of liquidity may bring beside the tolerance of its request, in basis points. */
const POOL_MARGIN_BPS = 100;

/**
 * Compares what an addition of liquidity takes at most with the fair value of its share of the pool, both in micro-dollars
 * at present prices. A pool whose price deviates from them hands a part of what is added to those who bring it back.
 */
export function additionFairness(inputUsdMicros: bigint, shareUsdMicros: bigint, slippageBps: number): TradeFairness {
  const lost = (inputUsdMicros - shareUsdMicros) * ALL_BPS;
  const floor = inputUsdMicros === 0n ? 0n : lost / inputUsdMicros;
  const bps = lost > 0n && inputUsdMicros > 0n && lost % inputUsdMicros !== 0n ? floor + 1n : floor;
  return {
    inputUsdMicros,
    leastOutputUsdMicros: shareUsdMicros,
    lossBps: Number(bps < -MAX_GAIN_BPS ? -MAX_GAIN_BPS : bps),
    maxLossBps: slippageBps + POOL_MARGIN_BPS,
    takesUnpriced: false,
    isOfLiquidity: true,
  };
}

function valueOfSide({ price, ...side }: PricedAmount, rounding: 'up' | 'down'): bigint | undefined {
  if (!price) return undefined;
  try {
    return valueInUsd(side.amount, { ...side, price }, rounding);
  } catch (error) {
    // Beyond an int64: the limits refuse such an input, and nothing is lost by such an output.
    if (error instanceof RangeError) return undefined;
    throw error;
  }
}

/** Compares both sides. An input without a price leaves only where an owner has listed it, so that nothing is lost. */
function lossBps(input: PricedAmount, output: PricedAmount): number | undefined {
  if (!output.price) return undefined;
  if (!input.price) return 0;
  // amount × digits / 10^(decimals + scale) of both, over one denominator.
  const given = input.amount * input.price.digits * 10n ** BigInt(output.decimals + output.price.scale);
  const brought = output.amount * output.price.digits * 10n ** BigInt(input.decimals + input.price.scale);
  const lost = (given - brought) * ALL_BPS;
  const floor = lost / given;
  const bps = lost > 0n && lost % given !== 0n ? floor + 1n : floor;
  return Number(bps < -MAX_GAIN_BPS ? -MAX_GAIN_BPS : bps);
}
