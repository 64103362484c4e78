import type { AccountFill, AccountOrder, AccountPosition, ExchangeEvent } from '../engine/exchange.js';
import type { Level, MarketState, Outcome, Trade } from '../engine/exchange.js';
import { countText, dollarsText } from '../rest/fixed-point.js';
import { timeText } from '../rest/market-json.js';

const DOLLAR_MICROS = 1_000_000n;

const seconds = (timeMs: number): number => Math.floor(timeMs / 1_000);

/** What the account bought: asks of YES buy NO. */
const outcomeOf = (side: AccountOrder['side']): Outcome => (side === 'bid' ? 'yes' : 'no');

export function fillMessage(fill: AccountFill, positionHundredths: bigint): unknown {
  return {
    trade_id: fill.fillId,
    order_id: fill.orderId,
    client_order_id: fill.clientOrderId,
    market_ticker: fill.ticker,
    exchange_index: 0,
    is_taker: fill.isTaker,
    side: fill.outcome,
    action: 'buy',
    purchased_side: fill.outcome,
    outcome_side: fill.outcome,
    book_side: fill.side,
    yes_price_dollars: dollarsText(fill.yesPriceMicros),
    count_fp: countText(fill.hundredths),
    fee_cost: dollarsText(fill.feeMicros),
    post_position_fp: countText(positionHundredths),
    subaccount: 0,
    ts: seconds(fill.timeMs),
    ts_ms: fill.timeMs,
  };
}

export function orderMessage(order: AccountOrder): unknown {
  return {
    order_id: order.orderId,
    client_order_id: order.clientOrderId,
    ticker: order.ticker,
    status: order.status,
    side: outcomeOf(order.side),
    outcome_side: outcomeOf(order.side),
    book_side: order.side,
    yes_price_dollars: dollarsText(order.priceMicros),
    initial_count_fp: countText(order.initialHundredths),
    fill_count_fp: countText(order.filledHundredths),
    remaining_count_fp: countText(order.remainingHundredths),
    taker_fill_cost_dollars: dollarsText(order.takerCostMicros),
    maker_fill_cost_dollars: dollarsText(order.makerCostMicros),
    taker_fees_dollars: dollarsText(order.takerFeesMicros),
    maker_fees_dollars: dollarsText(order.makerFeesMicros),
    created_time: timeText(order.createdMs),
    last_update_time: timeText(order.updatedMs),
    subaccount_number: 0,
    exchange_index: 0,
  };
}

export function positionMessage(position: AccountPosition, volumeHundredths: bigint): unknown {
  return {
    market_ticker: position.ticker,
    position_fp: countText(position.hundredths),
    position_cost_dollars: dollarsText(position.exposureMicros),
    realized_pnl_dollars: dollarsText(position.realizedMicros),
    fees_paid_dollars: dollarsText(position.feesMicros),
    position_fee_cost_dollars: dollarsText(position.feesMicros),
    volume_fp: countText(volumeHundredths),
    subaccount: 0,
    exchange_index: 0,
  };
}

export function lifecycleMessage({ step, market, timeMs }: Extract<ExchangeEvent, { kind: 'lifecycle' }>): unknown {
  const { result, settlementValueMicros } = market;
  return {
    market_ticker: market.ticker,
    event_type: step,
    open_ts: seconds(market.openTimeMs),
    close_ts: seconds(market.closeTimeMs),
    ...(step === 'deactivated' && { is_deactivated: true }),
    ...(step === 'activated' && { is_deactivated: false }),
    ...((step === 'determined' || step === 'settled') && {
      result: result === 'void' ? 'scalar' : result,
      settlement_value: dollarsText(settlementValueMicros ?? 0n),
      [step === 'determined' ? 'determination_ts' : 'settled_ts']: seconds(timeMs),
    }),
    exchange_index: 0,
  };
}

export function tradeMessage(trade: Trade): unknown {
  return {
    trade_id: trade.tradeId,
    market_ticker: trade.ticker,
    yes_price_dollars: dollarsText(trade.yesPriceMicros),
    no_price_dollars: dollarsText(DOLLAR_MICROS - trade.yesPriceMicros),
    count_fp: countText(trade.hundredths),
    taker_side: trade.takerOutcome,
    taker_outcome_side: trade.takerOutcome,
    taker_book_side: trade.takerOutcome === 'yes' ? 'bid' : 'ask',
    ts: seconds(trade.timeMs),
    ts_ms: trade.timeMs,
  };
}

/** Bids of both sides, as a subscription sees them. */
interface BookView {
  readonly yes: readonly Level[];
  readonly no: readonly Level[];
}

export function tickerMessage(market: MarketState, { yes, no }: BookView, timeMs: number): unknown {
  return {
    market_ticker: market.ticker,
    price_dollars: dollarsText(market.lastPriceMicros),
    yes_bid_dollars: dollarsText(yes[0]?.[0] ?? 0n),
    yes_ask_dollars: dollarsText(DOLLAR_MICROS - (no[0]?.[0] ?? 0n)),
    yes_bid_size_fp: countText(yes[0]?.[1] ?? 0n),
    yes_ask_size_fp: countText(no[0]?.[1] ?? 0n),
    volume_fp: countText(market.volumeHundredths),
    open_interest_fp: countText(market.openInterestHundredths),
    ts: seconds(timeMs),
    ts_ms: timeMs,
    time: timeText(timeMs),
  };
}

/** Prices of NO are its own, or on request those of the YES asks they stand for. */
function sidePrice(outcome: Outcome, priceMicros: bigint, usesYesPrice: boolean): string {
  return dollarsText(outcome === 'no' && usesYesPrice ? DOLLAR_MICROS - priceMicros : priceMicros);
}

/** The best bid last, as the REST API has it. */
export function snapshotMessage(ticker: string, { yes, no }: BookView, usesYesPrice: boolean): unknown {
  const side = (outcome: Outcome, levels: readonly Level[]) =>
    levels.toReversed().map(([price, count]) => [sidePrice(outcome, price, usesYesPrice), countText(count)]);
  return { market_ticker: ticker, yes_dollars_fp: side('yes', yes), no_dollars_fp: side('no', no) };
}

export function deltaMessage(change: Extract<ExchangeEvent, { kind: 'book' }>, usesYesPrice: boolean): unknown {
  return {
    market_ticker: change.ticker,
    price_dollars: sidePrice(change.outcome, change.priceMicros, usesYesPrice),
    delta_fp: countText(change.deltaHundredths),
    side: change.outcome,
    ts: timeText(change.timeMs),
    ts_ms: change.timeMs,
  };
}
