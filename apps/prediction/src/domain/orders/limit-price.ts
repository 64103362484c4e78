import { DOLLAR_USD_MICROS, onGrid, type PriceLevel, type PriceRange, type Side } from '@agent-wallet/kalshi';
import { AppError } from '@agent-wallet/kernel';

export const USD_MICROS_PER_CENT = 10_000n;

/** Returns a price in micro-dollars. */
export function microsOfCents(cents: number | undefined): bigint | undefined {
  return cents === undefined ? undefined : BigInt(cents) * USD_MICROS_PER_CENT;
}

/** Inputs of a limit. Levels are those that the order would meet, the best first, in prices of its own side. */
export interface LimitTerms {
  readonly ticker: string;
  readonly side: Side;
  readonly levels: readonly PriceLevel[];
  /** Hundredths of contracts. */
  readonly count: bigint;
  /** The stated limit: the most to pay, or the least to take; undefined when the book decides. */
  readonly wantedUsdMicros: bigint | undefined;
  readonly toleranceUsdMicros: bigint;
  readonly priceRanges: readonly PriceRange[];
}

/** The limit with which an order goes to the exchange. */
export interface Limit {
  /** On the market's grid where it is met. */
  readonly limitUsdMicros: bigint;
  /** Whether the book has an offer at that price now. If not, the price is the one that the agent stated. */
  readonly isMet: boolean;
}

const MAX_LIMIT_USD_MICROS = 990_000n;

/**
 * Returns the most that a buy pays for one contract, on the market's grid: the stated limit, or the worst level
 * that it needs and a tolerance; never above 99 cents.
 * @throws AppError NO_LIQUIDITY without an offer, or without one at any possible price
 */
export function buyLimit(terms: LimitTerms): Limit {
  const wanted = wantedOr(terms, (worst) => worst + terms.toleranceUsdMicros);
  const most = wanted < MAX_LIMIT_USD_MICROS ? wanted : MAX_LIMIT_USD_MICROS;
  const limit = onOwnGrid(most, terms, 'down');
  if (limit === undefined || limit <= 0n || terms.levels[0]!.priceUsdMicros > limit) return unmet(terms, most, 'up');
  return { limitUsdMicros: limit, isMet: true };
}

/**
 * Returns the least that a sale takes for one contract, on the market's grid: the stated limit, or the worst level
 * that it needs less a tolerance.
 * @throws AppError NO_LIQUIDITY without a bid, or without one at any possible price
 */
export function sellLimit(terms: LimitTerms): Limit {
  const wanted = wantedOr(terms, (worst) => worst - terms.toleranceUsdMicros);
  const least = wanted > 0n ? wanted : 1n;
  const limit = onOwnGrid(least, terms, 'up');
  if (limit === undefined || limit >= DOLLAR_USD_MICROS || terms.levels[0]!.priceUsdMicros < limit)
    return unmet(terms, least, 'down');
  return { limitUsdMicros: limit, isMet: true };
}

/**
 * Returns a stated limit, which may exclude every offer. A limit that the book decides is then impossible, and
 * this throws.
 */
function unmet(terms: LimitTerms, limitUsdMicros: bigint, way: 'up' | 'down'): Limit {
  if (terms.wantedUsdMicros === undefined) throw noLiquidity(terms, way);
  return { limitUsdMicros, isMet: false };
}

/**
 * Returns the contracts that an order of that limit would get now: the better levels first, as far as they are within
 * the limit.
 */
export function walk(
  levels: readonly PriceLevel[],
  { action, limit, count }: { readonly action: 'buy' | 'sell'; readonly limit: bigint; readonly count: bigint },
): readonly PriceLevel[] {
  const taken: PriceLevel[] = [];
  let left = count;
  for (const { priceUsdMicros, count: there } of levels) {
    const isWithin = action === 'buy' ? priceUsdMicros <= limit : priceUsdMicros >= limit;
    if (left === 0n || !isWithin) break;
    const take = there < left ? there : left;
    taken.push({ priceUsdMicros, count: take });
    left -= take;
  }
  return taken;
}

function wantedOr(terms: LimitTerms, ofWorst: (price: bigint) => bigint): bigint {
  const { wantedUsdMicros, levels, count } = terms;
  if (levels.length === 0) throw noLiquidity(terms, 'up');
  if (wantedUsdMicros !== undefined) return wantedUsdMicros;
  let left = count;
  for (const level of levels) {
    left -= level.count;
    if (left <= 0n) return ofWorst(level.priceUsdMicros);
  }
  return ofWorst(levels.at(-1)!.priceUsdMicros);
}

/** Rounds a price to the grid. The grid is one of yes prices: a no price lies on it when the rest of a dollar does. */
function onOwnGrid(price: bigint, { side, priceRanges }: LimitTerms, way: 'up' | 'down'): bigint | undefined {
  if (side === 'yes') return onGrid(price, priceRanges, way);
  const yes = onGrid(DOLLAR_USD_MICROS - price, priceRanges, way === 'up' ? 'down' : 'up');
  return yes === undefined ? undefined : DOLLAR_USD_MICROS - yes;
}

/** @param way to which the best price is rounded: in whole cents, at which the next contract could trade */
function noLiquidity({ ticker, side, levels }: LimitTerms, way: 'up' | 'down'): AppError {
  const best = levels[0]?.priceUsdMicros;
  const cents =
    best === undefined ? undefined : (best + (way === 'up' ? USD_MICROS_PER_CENT - 1n : 0n)) / USD_MICROS_PER_CENT;
  return new AppError('NO_LIQUIDITY', {
    data: { ticker, side, ...(cents === undefined ? {} : { bestPriceCents: Number(cents) }) },
  });
}
