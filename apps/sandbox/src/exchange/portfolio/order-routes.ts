import { z } from 'zod';
import type { JsonReply, JsonRequest, JsonRoute } from '../../http/json-server.js';
import { readBy } from '../../http/json-server.js';
import { ReplyLost } from '../../http/reply-lost.js';
import { frontFault, INTERNAL_ERROR, takeFault } from '../access/exchange-faults.js';
import { type AccountOrder, Refusal } from '../engine/exchange.js';
import { ExchangeError } from '../rest/exchange-error.js';
import { countText, dollarsText } from '../rest/fixed-point.js';
import { readCount, readOrder } from './order-body.js';
import type { PortfolioContext } from './portfolio-context.js';

const ORDERS = '/portfolio/events/orders';

const DecreaseBody = z.object({ reduce_by: z.string().optional(), reduce_to: z.string().optional() });

/** Placing, reducing and canceling orders. */
export function orderRoutes(context: PortfolioContext): JsonRoute[] {
  const route = (method: JsonRoute['method'], path: string, answer: Answer): JsonRoute => ({
    method,
    path,
    answer: (request) => refusing(() => answer(context, request)),
  });
  return [
    route('POST', ORDERS, place),
    route('DELETE', ORDERS, cancelAll),
    route('DELETE', `${ORDERS}/{id}`, cancel),
    route('POST', `${ORDERS}/{id}/decrease`, decrease),
  ];
}

type Answer = (context: PortfolioContext, request: JsonRequest) => Promise<JsonReply>;

/** Says what the engine refuses in the API's words. @throws ExchangeError */
async function refusing<T>(act: () => T | Promise<T>): Promise<T> {
  try {
    return await act();
  } catch (error) {
    if (error instanceof Refusal) throw new ExchangeError(error.status, error.code, error.message);
    throw error;
  }
}

async function place({ exchange, faults, journal }: PortfolioContext, { body }: JsonRequest): Promise<JsonReply> {
  const order = readOrder(body);
  const at = { method: 'POST', path: ORDERS, tickers: [order.ticker], byDefault: true };
  const refusal = await frontFault(faults, at);
  if (refusal) return refusal;
  if (takeFault(faults, 'rejectOrder', at)) throw new ExchangeError(400, 'invalid_order', 'rejected on purpose');
  const half = takeFault(faults, 'partialFill', at) && halfOf(order.hundredths);
  const placed = exchange.placeOrder(order, half);
  await journal.synced();
  if (takeFault(faults, 'errorAfterAccept', at)) return INTERNAL_ERROR;
  if (takeFault(faults, 'dropAfterAccept', at)) throw new ReplyLost();
  return { status: 201, body: placedJson(placed) };
}

/** Whole contracts where there are two or more, and never nothing. */
function halfOf(hundredths: bigint): bigint {
  if (hundredths >= 200n) return (hundredths / 200n) * 100n;
  return hundredths > 1n ? hundredths / 2n : 1n;
}

function placedJson(order: AccountOrder): unknown {
  const { filledHundredths: filled, takerCostMicros, takerFeesMicros } = order;
  const average = (micros: bigint) => (micros * 100n) / filled;
  const price = filled === 0n ? 0n : average(takerCostMicros);
  return {
    order_id: order.orderId,
    client_order_id: order.clientOrderId,
    fill_count: countText(filled),
    remaining_count: countText(order.remainingHundredths),
    ...(filled > 0n && {
      average_fill_price: dollarsText(order.side === 'bid' ? price : 1_000_000n - price),
      average_fee_paid: dollarsText(average(takerFeesMicros)),
    }),
    ts_ms: order.updatedMs,
  };
}

async function cancel({ exchange, journal }: PortfolioContext, { names }: JsonRequest): Promise<JsonReply> {
  const before = exchange.order(names['id']!);
  const order = exchange.reduceOrder(before.orderId, 0n);
  await journal.synced();
  const reduced_by = countText(before.remainingHundredths);
  return { body: { ...idsOf(order), reduced_by, ts_ms: order.updatedMs } };
}

async function cancelAll({ exchange, journal }: PortfolioContext): Promise<JsonReply> {
  for (const { orderId, status } of exchange.account().orders) {
    if (status === 'resting') exchange.reduceOrder(orderId, 0n);
  }
  await journal.synced();
  return { status: 204, body: undefined };
}

async function decrease({ exchange, journal }: PortfolioContext, request: JsonRequest): Promise<JsonReply> {
  const { reduce_by: by, reduce_to: to } = readBy(DecreaseBody, request.body ?? {});
  if ((by === undefined) === (to === undefined)) {
    throw new ExchangeError(400, 'invalid_order', 'either reduce_by or reduce_to is required');
  }
  const { orderId, remainingHundredths } = exchange.order(request.names['id']!);
  const left = to === undefined ? remainingHundredths - readCount('reduce_by', by!) : readCount('reduce_to', to);
  const order = exchange.reduceOrder(orderId, left);
  await journal.synced();
  return {
    body: { ...idsOf(order), remaining_count: countText(order.remainingHundredths), ts_ms: order.updatedMs },
  };
}

function idsOf({ orderId, clientOrderId }: AccountOrder): Readonly<Record<string, string>> {
  return { order_id: orderId, client_order_id: clientOrderId };
}
