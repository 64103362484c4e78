import { AppError, USD_DECIMALS, type UsdPrice, valueInUsd } from '@agent-wallet/kernel';
import { type CpmmPool, fairValue, mostWithin } from '@agent-wallet/solana';

/** A pool that holds less can be moved, or emptied of trades, by too little. */
const LEAST_POOL_USD_MICROS = 50_000n * 10n ** BigInt(USD_DECIMALS);
/** The part of a pool that one addition may become: a tenth. */
const LARGEST_SHARE = 10n;
/** Loss that policy accepts beside the tolerance, in basis points. */
const MARGIN_BPS = 100n;
const ALL_BPS = 10_000n;
/** Micro-dollars that rounding of values can take: one of each side, and one of the share. */
const ROUNDED_VALUES = 3n;

/** An addition, as far as its worth is concerned. */
interface Addition {
  readonly liquidity: bigint;
  /** The most of each token that may leave. */
  readonly maxima: readonly [bigint, bigint];
  readonly slippageBps: number;
  /** Creates the refusal of an addition that is too little, by the least of each token. */
  readonly tooLittle: (least: readonly [bigint, bigint]) => AppError;
}

/**
 * Refuses an addition that would be worth less than what it takes, or that is too large for its pool. Policy judges by
 * itself once more; here it becomes an error that says what to do.
 * @throws AppError POOL_NOT_SUPPORTED, POOL_PRICE_DEVIATES, and the refusal of an addition of which rounding takes too much
 */
export function assertWorth(pool: CpmmPool, prices: readonly [UsdPrice, UsdPrice], addition: Addition): void {
  const { liquidity, maxima, slippageBps, tooLittle } = addition;
  const { address, lpSupply } = pool;
  if (!isLargeEnough(fairValue(lpSupply, pool, prices))) throw unsupported(address, 'too_small');
  if (liquidity * LARGEST_SHARE > lpSupply + liquidity) throw unsupported(address, 'share_too_large');
  const taken = valueOf(maxima, pool, prices);
  const share = fairValue(liquidity, pool, prices);
  const mostBps = BigInt(slippageBps) + MARGIN_BPS;
  const lost = (taken - share) * ALL_BPS;
  if (lost <= mostBps * taken) return;
  const least = leastMaxima(pool, prices, slippageBps);
  if (least && (maxima[0] < least[0] || maxima[1] < least[1])) throw tooLittle(least);
  const lossBps = (lost + taken - 1n) / taken;
  const [lossPercent, maxLossPercent] = [Number(lossBps) / 100, Number(mostBps) / 100];
  throw new AppError('POOL_PRICE_DEVIATES', {
    message:
      `The pool price deviates from market prices: this addition would lose ${lossPercent} %; the limit is ` +
      `${maxLossPercent} %. Try again later, or choose another pool.`,
    data: { pool: address, lossPercent, maxLossPercent },
  });
}

/**
 * Returns the least of each token of which rounding takes no more than the loss that is left to it: an addition rounds each
 * token up twice, and each value once. Undefined for a pool whose price leaves nothing.
 */
function leastMaxima(
  pool: CpmmPool,
  prices: readonly [UsdPrice, UsdPrice],
  slippageBps: number,
): readonly [bigint, bigint] | undefined {
  const { lpSupply, reserves } = pool;
  // Of the whole pool, rounding is nothing.
  const whole = [mostWithin(reserves[0], slippageBps), mostWithin(reserves[1], slippageBps)] as const;
  const taken = valueOf(whole, pool, prices);
  const mostLost = taken * (BigInt(slippageBps) + MARGIN_BPS);
  const left = mostLost - (taken - fairValue(lpSupply, pool, prices)) * ALL_BPS;
  if (left <= 0n) return undefined;
  const rounded = (valueOf([2n, 2n], pool, prices) + ROUNDED_VALUES) * ALL_BPS;
  return [(whole[0] * rounded) / left + 1n, (whole[1] * rounded) / left + 1n];
}

function valueOf(
  [amount0, amount1]: readonly [bigint, bigint],
  { sides }: CpmmPool,
  prices: readonly [UsdPrice, UsdPrice],
): bigint {
  const value = (amount: bigint, side: 0 | 1) =>
    valueInUsd(amount, { decimals: sides[side].decimals, price: prices[side] }, 'up');
  return value(amount0, 0) + value(amount1, 1);
}

/** Reports whether a pool of this value in micro-dollars may be added to. */
export function isLargeEnough(valueUsdMicros: bigint): boolean {
  return valueUsdMicros >= LEAST_POOL_USD_MICROS;
}

const WORDS = {
  unknown_pool: 'This address is not that of a constant-product pool of Raydium. Choose one of GET /liquidity/pools.',
  not_open: 'Trading in the pool has not begun. Choose another pool, or try again later.',
  transfer_fee: 'A token of the pool withholds a fee from its transfers. Choose another pool.',
  unpriced: 'A token of the pool has no market price now. Try again later, or choose another pool.',
  too_small: 'The pool holds less than 50,000 USD. Choose a larger pool.',
  share_too_large: 'The addition would become more than a tenth of the pool. Add less, or choose a larger pool.',
} as const;

/** Returns the error of a pool that liquidity cannot be added to. */
export function unsupported(pool: string, reason: keyof typeof WORDS): AppError {
  return new AppError('POOL_NOT_SUPPORTED', { message: WORDS[reason], data: { pool, reason } });
}

/** Returns the error of a price that is older than what counts, as policy refuses a trade for it. */
export function priceUnavailable(): AppError {
  return new AppError('POLICY_VIOLATION', {
    message: 'A token of the pool has no current market price.',
    data: { rule: 'price_unavailable', suggestion: 'Try again in a few seconds.' },
  });
}
