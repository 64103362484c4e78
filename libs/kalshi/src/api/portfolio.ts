import { z } from 'zod';
import {
  cents,
  contracts,
  cursor,
  dollars,
  instant,
  list,
  name,
  optionalInstant,
  shard,
  signedContracts,
  signedDollars,
  text,
} from './fields.js';

/** Body of `POST /portfolio/events/orders`. */
export interface CreateOrderBody {
  readonly ticker: string;
  readonly side: 'bid' | 'ask';
  readonly count: string;
  readonly price: string;
  readonly time_in_force: 'immediate_or_cancel';
  readonly self_trade_prevention_type: 'taker_at_cross';
  readonly client_order_id: string;
  readonly exchange_index: number;
}

/** Response of `POST /portfolio/events/orders`. Its averages are not read: fills say what was paid. */
export const createOrderResponse = z
  .object({ order_id: name, client_order_id: text, fill_count: contracts })
  .transform((wire) => ({
    orderId: wire.order_id,
    /** Empty when the exchange does not say. */
    clientOrderId: wire.client_order_id,
    filled: wire.fill_count,
  }));

const order = z
  .object({
    order_id: name,
    client_order_id: text,
    ticker: name,
    status: z.enum(['resting', 'canceled', 'executed']),
    initial_count_fp: contracts,
    fill_count_fp: contracts,
  })
  .transform((wire) => ({
    orderId: wire.order_id,
    clientOrderId: wire.client_order_id,
    ticker: wire.ticker,
    status: wire.status,
    count: wire.initial_count_fp,
    filled: wire.fill_count_fp,
  }));

/** Response of `GET /portfolio/orders`. */
export const ordersResponse = z.object({ orders: list(order), cursor });

/** As far as dates go. */
const MAX_UNIX_SECONDS = 8_640_000_000_000;

const fill = z
  .object({
    fill_id: name,
    order_id: name,
    ticker: name,
    outcome_side: z.enum(['yes', 'no']),
    count_fp: contracts,
    yes_price_dollars: dollars,
    no_price_dollars: dollars,
    fee_cost: signedDollars,
    created_time: optionalInstant,
    /** Older form of the time: Unix seconds. */
    ts: z.int().min(0).max(MAX_UNIX_SECONDS).nullish(),
  })
  .transform((wire) => ({
    fillId: wire.fill_id,
    orderId: wire.order_id,
    ticker: wire.ticker,
    side: wire.outcome_side,
    count: wire.count_fp,
    yesPriceUsdMicros: wire.yes_price_dollars,
    noPriceUsdMicros: wire.no_price_dollars,
    feeUsdMicros: wire.fee_cost,
    atMs: wire.created_time ?? (wire.ts ?? 0) * 1_000,
  }));

/** Response of `GET /portfolio/fills`. */
export const fillsResponse = z.object({ fills: list(fill), cursor });

/** Response of `GET /portfolio/positions`. */
export const positionsResponse = z.object({
  market_positions: list(
    z
      .object({ ticker: name, position_fp: signedContracts })
      .transform((wire) => ({ ticker: wire.ticker, count: wire.position_fp })),
  ),
  cursor,
});

/** Response of `GET /portfolio/balance`. */
export const balanceResponse = z
  .object({ balance_dollars: signedDollars })
  .transform((wire) => ({ cashUsdMicros: wire.balance_dollars }));

/** Possible results of a market; a market that was called off says `void` here. */
const RESULTS = ['yes', 'no', 'scalar', 'void'] as const;

const settlement = z
  .object({
    ticker: name,
    event_ticker: name,
    exchange_index: shard,
    /** A word that we do not know must not hide the rows beside it. */
    market_result: text,
    yes_count_fp: contracts,
    no_count_fp: contracts,
    revenue: cents,
    value: cents.nullish(),
    /** The total of what the account's fills in the market were charged: taken with them, and not again. */
    fee_cost: signedDollars,
    settled_time: instant,
  })
  .transform((wire) => ({
    ticker: wire.ticker,
    eventTicker: wire.event_ticker,
    exchangeIndex: wire.exchange_index,
    result: RESULTS.find((result) => result === wire.market_result),
    yesCount: wire.yes_count_fp,
    noCount: wire.no_count_fp,
    revenueUsdMicros: wire.revenue,
    valueUsdMicros: wire.value ?? undefined,
    tradingFeesUsdMicros: wire.fee_cost,
    settledAtMs: wire.settled_time,
  }));

/** Response of `GET /portfolio/settlements`. */
export const settlementsResponse = z.object({ settlements: list(settlement), cursor });
