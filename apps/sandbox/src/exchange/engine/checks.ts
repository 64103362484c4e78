import { closable } from './account.js';
import type { PlacedOrder } from './commands.js';
import { CASH_STEP_MICROS, tradeFeeMicros } from './fees.js';
import type { MatchingEngine } from './matching-engine.js';
import { type Market, readMultiplier } from './market.js';
import { DOLLAR_MICROS, type Level, type MarketSpec, type Quotes } from './market-state.js';
import { boughtBy, ownPrice } from './order-book.js';
import { isExactGrid, isOnGrid } from './price-grid.js';
import { Refusal } from './refusal.js';

/** $1 for each pair of hundredths of a contract. */
const PAIR_MICROS = 10_000n;

/** @throws Refusal for a spec that makes no sense */
export function checkSpec(spec: MarketSpec): void {
  readMultiplier(spec.feeMultiplier);
  if (spec.closeTimeMs <= spec.openTimeMs) throw new Refusal('bad_request', 'closeTime: must be after it opens');
  if (!isExactGrid(spec.priceRanges)) throw new Refusal('bad_request', 'priceRanges: must be multiples of $0.0001');
}

/** @throws Refusal for quotes that could never rest */
export function checkQuotes(market: Market, { yesBids, noBids }: Quotes): void {
  if (!market.isListed) throw new Refusal('MARKET_INACTIVE', `${market.ticker} is ${market.status}`);
  for (const [outcome, bids] of [['yes', yesBids] as const, ['no', noBids] as const]) {
    for (const [price, hundredths] of bids) {
      if (!isOnGrid(ownPrice(outcome, price), market.priceRanges)) throw new Refusal('invalid_price');
      if (hundredths <= 0n) throw new Refusal('bad_request', 'a count must be positive');
    }
  }
  if (best(yesBids) + best(noBids) >= DOLLAR_MICROS && yesBids.length > 0 && noBids.length > 0) {
    throw new Refusal('bad_request', 'the best bids of both sides must be less than a dollar together');
  }
}

/** The order as it counts; a reduce-only one is cut to what it may close. @throws Refusal */
export function checkOrder(floor: MatchingEngine, order: PlacedOrder): PlacedOrder {
  const market = floor.markets.get(order.ticker);
  if (!market) throw new Refusal('not_found', `no market ${order.ticker}`);
  checkTerms(floor, market, order);
  if (!floor.isTrading) throw new Refusal('EXCHANGE_PAUSED');
  if (market.status === 'inactive') throw new Refusal('TRADING_PAUSED');
  if (market.status !== 'active') throw new Refusal('MARKET_INACTIVE');
  if (floor.account.isUsed(order.clientOrderId)) throw new Refusal('order_already_exists');
  if (order.isPostOnly && market.book.crossing(order.side, order.priceMicros).length > 0) {
    throw new Refusal('invalid_order', 'post only: it would trade at once');
  }
  const cut = order.isReduceOnly ? reduced(floor, order) : order;
  if (needMicros(floor, market, cut) > floor.account.cashMicros - floor.account.heldBackMicros()) {
    throw new Refusal('insufficient_balance');
  }
  return cut;
}

function checkTerms(floor: MatchingEngine, market: Market, order: PlacedOrder): void {
  if (order.hundredths <= 0n) throw new Refusal('invalid_order', 'count must be positive');
  if (!isOnGrid(order.priceMicros, market.priceRanges)) throw new Refusal('invalid_price');
  const canRest = order.timeInForce === 'good_till_canceled';
  if (!canRest && (order.isPostOnly || order.expiresMs !== undefined)) {
    throw new Refusal('invalid_order', `${order.timeInForce} never rests`);
  }
  if ((order.expiresMs ?? Infinity) <= floor.timeMs) throw new Refusal('invalid_order', 'expiration_time is past');
}

function reduced(floor: MatchingEngine, order: PlacedOrder): PlacedOrder {
  const closed = closable(floor.account.unclaimed(order.ticker), boughtBy(order.side), order.hundredths);
  if (closed === 0n) throw new Refusal('invalid_order', 'reduce only: there is nothing to close');
  return { ...order, hundredths: closed };
}

/**
 * The most an order can cost: what it opens at its limit and the dearest fee up to there, with every rounding, less
 * what it gets for contracts it closes.
 */
function needMicros(floor: MatchingEngine, market: Market, order: PlacedOrder): bigint {
  const { hundredths, priceMicros } = order;
  const outcome = boughtBy(order.side);
  const price = ownPrice(outcome, priceMicros);
  const closed = closable(floor.account.unclaimed(order.ticker), outcome, hundredths);
  const dearest = price < DOLLAR_MICROS / 2n ? price : DOLLAR_MICROS / 2n;
  const fee = tradeFeeMicros(market.terms, { hundredths, priceMicros: dearest, isTaker: true });
  const roundings = 2n * CASH_STEP_MICROS * BigInt(floor.trading.fillable(order).parts);
  return (price * hundredths) / 100n - closed * PAIR_MICROS + fee + roundings;
}

function best(bids: readonly Level[]): bigint {
  return bids.reduce((most, [price]) => (price > most ? price : most), 0n);
}
