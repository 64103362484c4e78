import {
  type AccountFill,
  type AccountOrder,
  type AccountPosition,
  type AccountSettlement,
  DOLLAR_MICROS,
} from '../engine/exchange.js';
import { countText, dollarsText } from '../rest/fixed-point.js';
import { timeText } from '../rest/market-json.js';

/** The one member of this exchange. */
const USER_ID = '5a4db0c8-0000-4000-8000-000000000001';

export const CENT_MICROS = 10_000n;

/** What an order of a side buys; the older fields say it with an action, which is always a purchase here. */
function directionOf(side: AccountOrder['side']): Readonly<Record<string, string>> {
  const outcome = side === 'bid' ? 'yes' : 'no';
  return { side: outcome, action: 'buy', outcome_side: outcome, book_side: side };
}

function prices(yesMicros: bigint): Readonly<Record<string, string>> {
  return {
    yes_price_dollars: dollarsText(yesMicros),
    no_price_dollars: dollarsText(DOLLAR_MICROS - yesMicros),
  };
}

export function orderJson(order: AccountOrder): unknown {
  return {
    order_id: order.orderId,
    user_id: USER_ID,
    client_order_id: order.clientOrderId,
    ticker: order.ticker,
    ...directionOf(order.side),
    type: 'limit',
    status: order.status,
    ...prices(order.priceMicros),
    fill_count_fp: countText(order.filledHundredths),
    remaining_count_fp: countText(order.remainingHundredths),
    initial_count_fp: countText(order.initialHundredths),
    taker_fill_cost_dollars: dollarsText(order.takerCostMicros),
    maker_fill_cost_dollars: dollarsText(order.makerCostMicros),
    taker_fees_dollars: dollarsText(order.takerFeesMicros),
    maker_fees_dollars: dollarsText(order.makerFeesMicros),
    expiration_time: order.expiresMs === undefined ? null : timeText(order.expiresMs),
    created_time: timeText(order.createdMs),
    last_update_time: timeText(order.updatedMs),
    self_trade_prevention_type: order.selfTradePrevention,
    order_group_id: null,
    cancel_order_on_pause: order.cancelsOnPause,
    subaccount_number: 0,
    exchange_index: 0,
  };
}

export function fillJson(fill: AccountFill): unknown {
  return {
    fill_id: fill.fillId,
    trade_id: fill.fillId,
    order_id: fill.orderId,
    ticker: fill.ticker,
    market_ticker: fill.ticker,
    ...directionOf(fill.side),
    count_fp: countText(fill.hundredths),
    ...prices(fill.yesPriceMicros),
    is_taker: fill.isTaker,
    fee_cost: dollarsText(fill.feeMicros),
    created_time: timeText(fill.timeMs),
    ts: Math.floor(fill.timeMs / 1_000),
    subaccount_number: 0,
    exchange_index: 0,
  };
}

export function positionJson(position: AccountPosition): unknown {
  return {
    ticker: position.ticker,
    exchange_index: 0,
    total_traded_dollars: dollarsText(position.tradedMicros),
    position_fp: countText(position.hundredths),
    market_exposure_dollars: dollarsText(position.exposureMicros),
    realized_pnl_dollars: dollarsText(position.realizedMicros),
    fees_paid_dollars: dollarsText(position.feesMicros),
    last_updated_ts: timeText(position.updatedMs),
  };
}

/** Positions of one event together. */
export function eventPositionJson(eventTicker: string, positions: readonly AccountPosition[]): unknown {
  const sum = (of: (position: AccountPosition) => bigint) => positions.reduce((all, one) => all + of(one), 0n);
  return {
    event_ticker: eventTicker,
    total_cost_dollars: dollarsText(sum(({ tradedMicros }) => tradedMicros)),
    total_cost_shares_fp: countText(sum(({ hundredths: held }) => (held < 0n ? -held : held))),
    event_exposure_dollars: dollarsText(sum(({ exposureMicros }) => exposureMicros)),
    realized_pnl_dollars: dollarsText(sum(({ realizedMicros }) => realizedMicros)),
    fees_paid_dollars: dollarsText(sum(({ feesMicros }) => feesMicros)),
  };
}

/** A void shows as a scalar: what counts is its value. */
export function settlementJson(settlement: AccountSettlement): unknown {
  const { result } = settlement;
  return {
    ticker: settlement.ticker,
    exchange_index: 0,
    event_ticker: settlement.eventTicker,
    market_result: result === 'void' ? 'scalar' : result,
    yes_count_fp: countText(settlement.yesHundredths),
    yes_total_cost_dollars: dollarsText(settlement.yesCostMicros),
    no_count_fp: countText(settlement.noHundredths),
    no_total_cost_dollars: dollarsText(settlement.noCostMicros),
    revenue: settlement.revenueMicros / CENT_MICROS,
    settled_time: timeText(settlement.timeMs),
    // Of trading: settling itself is free.
    fee_cost: dollarsText(settlement.feesMicros),
    value: settlement.valueMicros / CENT_MICROS,
  };
}
