import { z } from 'zod';
import { DOLLAR_USD_MICROS, ORDER_STEP_USD_MICROS } from '../money/fixed-point.js';
import { contracts, cursor, dollars, instant, list, name, numberText, optionalInstant, shard, text } from './fields.js';

/** State of a market, in our terms. */
export type MarketStatus = 'unopened' | 'open' | 'closed' | 'settled';

/** The exchange's words; one that we do not know does not trade and is not paid. */
const STATUS: Readonly<Record<string, MarketStatus>> = {
  initialized: 'unopened',
  active: 'open',
  inactive: 'open',
  closed: 'closed',
  determined: 'closed',
  disputed: 'closed',
  amended: 'closed',
  finalized: 'settled',
};

const priceRange = z
  .object({ start: dollars, end: dollars, step: dollars.refine((step) => step > 0n, 'must be greater than 0') })
  .transform(({ start, end, step }) => ({ startUsdMicros: start, endUsdMicros: end, stepUsdMicros: step }));

/** Reports whether a price range can be ordered. An order names a price with four decimals, so finer prices cannot. */
const isOrderable = ({ startUsdMicros: start, stepUsdMicros: step }: z.output<typeof priceRange>) =>
  start % ORDER_STEP_USD_MICROS === 0n && step % ORDER_STEP_USD_MICROS === 0n;

const price = dollars.refine((value) => value <= DOLLAR_USD_MICROS, 'must be at most a dollar');

/** Reports whether a value is a price. The exchange reports an empty side as 0 or a dollar. */
const isPrice = (value: bigint | undefined) => value !== undefined && value > 0n && value < DOLLAR_USD_MICROS;
const realPrice = (value: bigint | undefined) => (isPrice(value) ? value : undefined);

const wireMarket = z.object({
  ticker: name,
  event_ticker: name,
  exchange_index: shard,
  market_type: text,
  title: text,
  subtitle: text,
  yes_sub_title: text,
  no_sub_title: text,
  status: z.string(),
  open_time: instant,
  close_time: instant,
  expected_expiration_time: optionalInstant,
  latest_expiration_time: instant,
  settlement_timer_seconds: z.int().min(0),
  yes_bid_dollars: price,
  yes_ask_dollars: price,
  no_bid_dollars: price,
  no_ask_dollars: price,
  last_price_dollars: price,
  previous_price_dollars: price.optional(),
  volume_fp: contracts,
  volume_24h_fp: contracts,
  open_interest_fp: contracts,
  result: text,
  settlement_value_dollars: price.nullish(),
  settlement_ts: optionalInstant,
  can_close_early: z.boolean().default(false),
  strike_type: text,
  floor_strike: numberText,
  cap_strike: numberText,
  rules_primary: text,
  rules_secondary: text,
  price_ranges: list(priceRange),
});

/** A market; prices and money in micro-dollars, contracts in hundredths, times in Unix milliseconds. */
export const market = wireMarket.transform((wire) => ({
  ticker: wire.ticker,
  eventTicker: wire.event_ticker,
  exchangeIndex: wire.exchange_index,
  marketType: wire.market_type,
  title: wire.title || wire.yes_sub_title || wire.ticker,
  subtitle: wire.subtitle || wire.rules_primary,
  yesSubTitle: wire.yes_sub_title,
  noSubTitle: wire.no_sub_title,
  status: Object.hasOwn(STATUS, wire.status) ? STATUS[wire.status]! : ('closed' as const),
  paused: wire.status === 'inactive',
  yesBidUsdMicros: realPrice(wire.yes_bid_dollars),
  yesAskUsdMicros: realPrice(wire.yes_ask_dollars),
  noBidUsdMicros: realPrice(wire.no_bid_dollars),
  noAskUsdMicros: realPrice(wire.no_ask_dollars),
  lastPriceUsdMicros: realPrice(wire.last_price_dollars),
  previousPriceUsdMicros: realPrice(wire.previous_price_dollars),
  volume: wire.volume_fp,
  volume24h: wire.volume_24h_fp,
  openInterest: wire.open_interest_fp,
  openTimeMs: wire.open_time,
  closeTimeMs: wire.close_time,
  expectedExpirationTimeMs: wire.expected_expiration_time,
  latestExpirationTimeMs: wire.latest_expiration_time,
  settlementTimerSeconds: wire.settlement_timer_seconds,
  result: resultOf(wire.result),
  settlementValueUsdMicros: settlementValue(wire.result, wire.settlement_value_dollars ?? undefined),
  settledAtMs: wire.settlement_ts,
  canCloseEarly: wire.can_close_early,
  strikeType: wire.strike_type,
  floorStrike: wire.floor_strike,
  capStrike: wire.cap_strike,
  rulesPrimary: wire.rules_primary,
  rulesSecondary: wire.rules_secondary,
  priceRanges: wire.price_ranges.filter(isOrderable),
}));

/** A market as the exchange describes it. */
export type MarketRecord = z.output<typeof market>;

/** Response of `GET /markets/{ticker}`. */
export const marketResponse = z.object({ market });

/** Response of `GET /markets`. */
export const marketsResponse = z.object({ markets: list(market), cursor });

function resultOf(result: string): 'yes' | 'no' | 'scalar' | undefined {
  return result === 'yes' || result === 'no' || result === 'scalar' ? result : undefined;
}

function settlementValue(result: string, stated: bigint | undefined): bigint | undefined {
  if (stated !== undefined) return stated;
  if (result === 'yes') return DOLLAR_USD_MICROS;
  return result === 'no' ? 0n : undefined;
}
