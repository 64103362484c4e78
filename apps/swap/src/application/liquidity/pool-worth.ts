import { AppError, USD_DECIMALS, type UsdPrice, valueInUsd } from '@agent-wallet/kernel';
import { type CpmmPool, fairValue } from '@agent-wallet/solana';

/** A pool that holds less can be moved, or emptied of trades, by too little. */
const LEAST_POOL_USD_MICROS = 50_000n * 10n ** BigInt(USD_DECIMALS);
/** The part of a pool that one addition may become: a tenth. */
const LARGEST_SHARE = 10n;
/** Loss that policy accepts beside the tolerance, in basis points. */
const MARGIN_BPS = 100n;
const ALL_BPS = 10_000n;

/** An addition, as far as its worth is concerned. */
export interface Addition {
  readonly liquidity: bigint;
  /** The most of each token that may leave. */
  readonly maxima: readonly [bigint, bigint];
  readonly slippageBps: number;
}

/**
 * Refuses an addition that would be worth less than what it takes, or that is too large for its pool. Policy judges by
 * itself once more; here it becomes an error that says what to do.
 * @throws AppError POOL_NOT_SUPPORTED, POOL_PRICE_DEVIATES
 */
export function assertWorth(pool: CpmmPool, prices: readonly [UsdPrice, UsdPrice], addition: Addition): void {
  const { liquidity, maxima, slippageBps } = addition;
  const { address, lpSupply, sides } = pool;
  if (!isLargeEnough(fairValue(lpSupply, pool, prices))) throw unsupported(address, 'too_small');
  if (liquidity * LARGEST_SHARE > lpSupply + liquidity) throw unsupported(address, 'share_too_large');
  const value = (side: 0 | 1) =>
    valueInUsd(maxima[side], { decimals: sides[side].decimals, price: prices[side] }, 'up');
  const taken = value(0) + value(1);
  const share = fairValue(liquidity, pool, prices);
  const mostBps = BigInt(slippageBps) + MARGIN_BPS;
  const lost = (taken - share) * ALL_BPS;
  if (lost <= mostBps * taken) return;
  const lossBps = (lost + taken - 1n) / taken;
  throw new AppError('POOL_PRICE_DEVIATES', {
    data: { pool: address, lossPercent: Number(lossBps) / 100, maxLossPercent: Number(mostBps) / 100 },
  });
}

/** Reports whether a pool of this value in micro-dollars may be added to. */
export function isLargeEnough(valueUsdMicros: bigint): boolean {
  return valueUsdMicros >= LEAST_POOL_USD_MICROS;
}

const WORDS = {
  unknown_pool: 'No constant-product pool of Raydium lives at this address.',
  not_open: 'Trading in the pool has not begun.',
  transfer_fee: 'A token of the pool withholds a fee of its transfers.',
  unpriced: 'A token of the pool has no market price now, so that its worth cannot be judged.',
  too_small: 'The pool holds less than 50,000 USD.',
  share_too_large: 'The addition would become more than a tenth of the pool. Add less, or choose a larger pool.',
} as const;

/** Returns the error of a pool that liquidity cannot be added to. */
export function unsupported(pool: string, reason: keyof typeof WORDS): AppError {
  return new AppError('POOL_NOT_SUPPORTED', { message: WORDS[reason], data: { pool, reason } });
}

/** Returns the error of a price that is older than what counts, as policy refuses a trade for it. */
export function priceUnavailable(): AppError {
  return new AppError('POLICY_VIOLATION', {
    message: 'No current price of a token of the pool is available, so that its worth cannot be judged.',
    data: { rule: 'price_unavailable', suggestion: 'Try again in a few seconds.' },
  });
}
