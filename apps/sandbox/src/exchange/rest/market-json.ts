import { RawJson } from '../../encoding/json.js';
import type { Level, MarketState } from '../engine/exchange.js';
import type { MarketText, Strike } from '../world/records.js';
import { countText, dollarsText } from './fixed-point.js';
import type { MarketDataContext } from './market-data-context.js';

type Fields = Readonly<Record<string, unknown>>;

const DOLLAR_MICROS = 1_000_000n;

/** Time as the exchange writes it. */
export function timeText(timeMs: number): string {
  return new Date(timeMs).toISOString();
}

/** A market as the exchange answers it. */
export function marketJson({ exchange, world }: MarketDataContext, market: MarketState): unknown {
  const text = world.text(market.ticker)!;
  return {
    ticker: market.ticker,
    event_ticker: market.eventTicker,
    market_type: text.marketType,
    ...words(text),
    created_time: timeText(text.createdMs),
    updated_time: timeText(Math.max(market.updatedMs, text.updatedMs)),
    open_time: timeText(market.openTimeMs),
    close_time: timeText(market.closeTimeMs),
    expected_expiration_time: timeText(text.expectedExpirationMs),
    expiration_time: timeText(text.latestExpirationMs),
    latest_expiration_time: timeText(text.latestExpirationMs),
    settlement_timer_seconds: market.settlementTimerSeconds,
    status: market.status,
    ...quotes(exchange.book(market.ticker)),
    ...trading(market, exchange.volume24h(market.ticker)),
    ...ending(market),
    can_close_early: text.canCloseEarly,
    ...(text.strike && strike(text.strike)),
    price_level_structure: text.priceStructure,
    price_ranges: market.priceRanges.map((range) => ({
      start: dollarsText(range.startMicros),
      end: dollarsText(range.endMicros),
      step: dollarsText(range.stepMicros),
    })),
    ...(text.legs && combo(text)),
    exchange_index: 0,
  };
}

function words(text: MarketText): Fields {
  return {
    title: text.title,
    subtitle: text.subtitle,
    yes_sub_title: text.yesSubTitle,
    no_sub_title: text.noSubTitle,
    rules_primary: text.rulesPrimary,
    rules_secondary: text.rulesSecondary,
  };
}

/** Best prices of both sides; without a bid 0, without an ask 1. */
function quotes({ yes, no }: { yes: readonly Level[]; no: readonly Level[] }): Fields {
  const [yesBid, yesBidSize] = yes[0] ?? [0n, 0n];
  const [noBid, noBidSize] = no[0] ?? [0n, 0n];
  return {
    yes_bid_dollars: dollarsText(yesBid),
    yes_bid_size_fp: countText(yesBidSize),
    yes_ask_dollars: dollarsText(DOLLAR_MICROS - noBid),
    yes_ask_size_fp: countText(noBidSize),
    no_bid_dollars: dollarsText(noBid),
    no_ask_dollars: dollarsText(DOLLAR_MICROS - yesBid),
  };
}

function trading(market: MarketState, volume24h: bigint): Fields {
  const previous = dollarsText(market.previousPriceMicros);
  return {
    last_price_dollars: dollarsText(market.lastPriceMicros),
    previous_price_dollars: previous,
    previous_yes_bid_dollars: previous,
    previous_yes_ask_dollars: previous,
    volume_fp: countText(market.volumeHundredths),
    volume_24h_fp: countText(volume24h),
    open_interest_fp: countText(market.openInterestHundredths),
    notional_value_dollars: dollarsText(DOLLAR_MICROS),
    liquidity_dollars: dollarsText(0n),
  };
}

/** A void shows as a scalar: what counts is its value. */
function ending({ result, settlementValueMicros, settledAtMs }: MarketState): Fields {
  return {
    result: result === 'void' ? 'scalar' : (result ?? ''),
    expiration_value: result ?? '',
    ...(settlementValueMicros !== undefined && { settlement_value_dollars: dollarsText(settlementValueMicros) }),
    ...(settledAtMs !== undefined && { settlement_ts: timeText(settledAtMs) }),
  };
}

function strike({ type, floor, cap, custom }: Strike): Fields {
  return {
    strike_type: type,
    ...(floor !== undefined && { floor_strike: new RawJson(floor) }),
    ...(cap !== undefined && { cap_strike: new RawJson(cap) }),
    ...(custom && { custom_strike: custom }),
  };
}

function combo({ eventTicker, legs = [] }: MarketText): Fields {
  return {
    mve_collection_ticker: `${eventTicker.split('-')[0]}-R`,
    mve_selected_legs: legs.map((leg) => ({
      event_ticker: leg.eventTicker,
      market_ticker: leg.marketTicker,
      side: leg.side,
    })),
  };
}
