import { DOLLAR_USD_MICROS, onGrid, type PriceLevel, type PriceRange, type Side } from '@agent-wallet/kalshi';
import { AppError, formatAmount, USD_DECIMALS } from '@agent-wallet/kernel';
import { least } from '../ledger/amounts.js';

export const USD_MICROS_PER_CENT = 10_000n;

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
interface Limit {
  /** On the market's grid where it is met. */
  readonly limitUsdMicros: bigint;
  /** Whether the book has an offer at that price now. If not, the price is the one that the agent stated. */
  readonly isMet: boolean;
}

/** Prices that orders for one side of a market may name. */
type MarketGrid = Pick<LimitTerms, 'side' | 'priceRanges'>;

/**
 * Rejects a stated limit between the market's prices. Whole cents are always accepted: they are rounded so that no agent
 * pays more or gets less.
 * @throws AppError VALIDATION_ERROR that names the tick and the next prices
 */
export function assertOnTick(field: string, price: bigint | undefined, grid: MarketGrid): void {
  if (price === undefined || price % USD_MICROS_PER_CENT === 0n) return;
  const next = (['down', 'up'] as const).map((way) => onOwnGrid(price, grid, way));
  if (next[0] === price) return;
  const yes = grid.side === 'yes' ? price : DOLLAR_USD_MICROS - price;
  const range = grid.priceRanges.find(({ startUsdMicros: start, endUsdMicros: end }) => start <= yes && yes <= end);
  const tick = range ? `the market's tick of ${dollars(range.stepUsdMicros)}` : 'a price of the market';
  const prices = next.filter((each) => each !== undefined).map(dollars);
  throw AppError.field(field, `must be on ${tick}, such as ${prices.join(' or ')}`, 'out_of_range');
}

function dollars(usdMicros: bigint): string {
  return formatAmount(usdMicros, USD_DECIMALS);
}

const MAX_DEFAULT_USD_MICROS = 990_000n;

/**
 * Returns the most that a buy pays for one contract, on the market's grid: the stated limit, or the worst level
 * that it needs and a tolerance, at most 99 cents.
 * @throws AppError NO_LIQUIDITY without an offer, or without one at any possible price
 */
export function buyLimit(terms: LimitTerms): Limit {
  const most = wantedOr(terms, (worst) => least(worst + terms.toleranceUsdMicros, MAX_DEFAULT_USD_MICROS));
  const limit = onOwnGrid(most, terms, 'down');
  if (limit === undefined || limit <= 0n || terms.levels[0]!.priceUsdMicros > limit) return unmet(terms, most, 'up');
  return { limitUsdMicros: limit, isMet: true };
}

/** Inputs of the limit of a sale. */
export interface SaleLimitTerms extends LimitTerms {
  /** Asks of the same side, the best first. */
  readonly asks: readonly PriceLevel[];
  /** The owner's bound on the loss of a trade, in basis points. */
  readonly maxLossBps: number | undefined;
}

const ALL_BPS = 10_000;
/** The most that a sale gives up of the middle of the book, in basis points: alone, and where it states a price. */
const MAX_LOSS_BPS = 1_000;
const MAX_STATED_LOSS_BPS = 5_000;
/** Given up beside it: a tick weighs much in cheap contracts. */
const SPREAD_USD_MICROS = 2n * USD_MICROS_PER_CENT;

/**
 * Returns the least that a sale takes for one contract, on the market's grid: the stated limit, or the worst level
 * that it needs less a tolerance. It is never far below the middle of the book: no limit counts what a sale gives up, so
 * contracts could otherwise be handed to a bidder for a cent.
 * @throws AppError NO_LIQUIDITY without a bid, or without one at any possible price, or far below the middle of the book
 */
export function sellLimit(terms: SaleLimitTerms): Limit {
  const limit = wantedSellLimit(terms);
  const floor = saleFloor(terms);
  if (!limit.isMet || limit.limitUsdMicros >= floor) return limit;
  if (terms.levels[0]!.priceUsdMicros < floor) throw farBelowBook(terms, floor);
  return { limitUsdMicros: onOwnGrid(floor, terms, 'up') ?? floor, isMet: true };
}

/** Returns the least price that is not far below the middle of the book. Without an ask it reaches up to a dollar. */
function saleFloor({ levels, asks, wantedUsdMicros, maxLossBps = ALL_BPS }: SaleLimitTerms): bigint {
  const ask = asks[0]?.priceUsdMicros ?? DOLLAR_USD_MICROS;
  const middle = (levels[0]!.priceUsdMicros + ask) / 2n;
  const lossBps = Math.min(wantedUsdMicros === undefined ? MAX_LOSS_BPS : MAX_STATED_LOSS_BPS, maxLossBps);
  return (middle * BigInt(ALL_BPS - lossBps)) / BigInt(ALL_BPS) - SPREAD_USD_MICROS;
}

function farBelowBook(terms: SaleLimitTerms, floor: bigint): AppError {
  const best = dollars(terms.levels[0]!.priceUsdMicros);
  const most = terms.wantedUsdMicros === undefined ? 'State minPriceDollars to sell for less, or wait' : 'Wait';
  return new AppError('NO_LIQUIDITY', {
    message: `The best bid, $${best}, is far below the middle of the order book. ${most} for a bid of at least $${dollars(floor)}.`,
    data: bestPrice(terms, 'down'),
  });
}

function wantedSellLimit(terms: LimitTerms): Limit {
  const wanted = wantedOr(terms, (worst) => worst - terms.toleranceUsdMicros);
  const lowest = wanted > 0n ? wanted : 1n;
  const limit = onOwnGrid(lowest, terms, 'up');
  if (limit === undefined || limit >= DOLLAR_USD_MICROS || terms.levels[0]!.priceUsdMicros < limit)
    return unmet(terms, lowest, 'down');
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
function onOwnGrid(price: bigint, { side, priceRanges }: MarketGrid, way: 'up' | 'down'): bigint | undefined {
  if (side === 'yes') return onGrid(price, priceRanges, way);
  const yes = onGrid(DOLLAR_USD_MICROS - price, priceRanges, way === 'up' ? 'down' : 'up');
  return yes === undefined ? undefined : DOLLAR_USD_MICROS - yes;
}

/**
 * Names the best price, at which the next contract could trade: exactly, and in whole cents where those reach it.
 * @param way to which whole cents are rounded
 */
function noLiquidity(terms: LimitTerms, way: 'up' | 'down'): AppError {
  return new AppError('NO_LIQUIDITY', { data: bestPrice(terms, way) });
}

function bestPrice({ ticker, side, levels }: LimitTerms, way: 'up' | 'down') {
  const best = levels[0]?.priceUsdMicros;
  if (best === undefined) return { ticker, side };
  const cents = (best + (way === 'up' ? USD_MICROS_PER_CENT - 1n : 0n)) / USD_MICROS_PER_CENT;
  const inCents = cents >= 1n && cents <= 99n ? { bestPriceCents: Number(cents) } : {};
  return { ticker, side, ...inCents, bestPriceDollars: dollars(best) };
}
