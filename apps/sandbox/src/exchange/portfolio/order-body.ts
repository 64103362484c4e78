import { randomUUID } from 'node:crypto';
import { z } from 'zod';
import type { OrderRequest } from '../engine/exchange.js';
import { ExchangeError } from '../rest/exchange-error.js';

const MOST_DIGITS = 12;

const Body = z.object({
  ticker: z.string().min(1),
  side: z.enum(['bid', 'ask']),
  count: z.string(),
  price: z.string(),
  time_in_force: z.enum(['fill_or_kill', 'immediate_or_cancel', 'good_till_canceled']),
  self_trade_prevention_type: z.enum(['taker_at_cross', 'maker']),
  client_order_id: z.string().max(128).optional(),
  expiration_time: z.int().positive().optional(),
  post_only: z.boolean().optional(),
  reduce_only: z.boolean().optional(),
  cancel_order_on_pause: z.boolean().optional(),
  subaccount: z.literal(0, 'there is no such subaccount').optional(),
  exchange_index: z.union([z.literal(0), z.literal(-1)], 'there is no such exchange index').optional(),
  order_group_id: z.undefined('there are no order groups here').optional(),
});

const REQUIRED = ['ticker', 'side', 'count', 'price', 'time_in_force', 'self_trade_prevention_type'];

/** Reads the body of an order. @throws ExchangeError */
export function readOrder(body: unknown): OrderRequest {
  const given = (typeof body === 'object' && body !== null ? body : {}) as Readonly<Record<string, unknown>>;
  const missing = REQUIRED.filter((name) => given[name] === undefined || given[name] === null);
  if (missing.length > 0) throw new ExchangeError(400, 'missing_parameters', `missing: ${missing.join(', ')}`);
  const parsed = Body.safeParse(given);
  if (!parsed.success) {
    const [issue] = parsed.error.issues;
    throw new ExchangeError(400, 'invalid_order', `${issue?.path.join('.')}: ${issue?.message}`);
  }
  const order = parsed.data;
  return {
    ticker: order.ticker,
    clientOrderId: order.client_order_id || randomUUID(),
    side: order.side,
    hundredths: readCount('count', order.count),
    priceMicros: readPrice(order.price),
    timeInForce: order.time_in_force,
    selfTradePrevention: order.self_trade_prevention_type,
    expiresMs: order.expiration_time === undefined ? undefined : order.expiration_time * 1_000,
    isPostOnly: order.post_only,
    isReduceOnly: order.reduce_only,
    cancelsOnPause: order.cancel_order_on_pause,
  };
}

/** Contracts with up to two decimals, in hundredths. @throws ExchangeError */
export function readCount(name: string, text: string): bigint {
  const hundredths = fixedPoint(text, 0, 2);
  if (hundredths === undefined) throw new ExchangeError(400, 'invalid_order', `${name}: not a count: ${text}`);
  return hundredths;
}

/** Dollars with two to four decimals, in micro-dollars. */
function readPrice(text: string): bigint {
  const tenThousandths = fixedPoint(text, 2, 4);
  if (tenThousandths === undefined) throw new ExchangeError(400, 'invalid_price', `price: not a price: ${text}`);
  return tenThousandths * 100n;
}

/** Decimal text in units of its last allowed decimal; undefined when it has too few, too many, or is something else. */
function fixedPoint(text: string, fewest: number, most: number): bigint | undefined {
  const [, whole, decimals = ''] = /^(\d+)(?:\.(\d+))?$/.exec(text) ?? [];
  if (whole === undefined || whole.length > MOST_DIGITS) return undefined;
  if (decimals.length < fewest || decimals.length > most) return undefined;
  return BigInt(whole + decimals.padEnd(most, '0'));
}
