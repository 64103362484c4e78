import { predictionV1 } from '@agent-wallet/contracts';
import { z } from 'zod';
import { orNull } from '../../application/responses/cents.js';
import { type ExactJson, isoTime, usdNumber } from '../../application/responses/exact-json.js';
import { required } from '../../ports/services.js';
import { findOrderStatus, orderStatus, orderTerms, showOrder } from '../actions/order-terms.js';
import { READ } from '../catalog-routes.js';
import { pick } from '../history/transaction-kind.js';
import { defineRoute } from '../route.js';
import { composed } from '../schemas/composed.js';
import { ID, ORDER_ID, TICKER } from '../schemas/examples.js';
import { optionalText, queryCursor, queryInteger } from '../schemas/fields.js';
import { nextCursor } from '../schemas/market-records.js';
import { dollarAmount, growing, time, transactionId } from '../schemas/units.js';

const listedStatus = growing(
  'ListedOrderStatus',
  ['submitted', ...orderStatus.options],
  '`submitted`: the outcome is not known yet.',
)();

export const orderRecord = composed('Order', [orderTerms], {
  transactionId: transactionId(),
  eventTicker: z.string().nullable(),
  action: z.enum(['buy', 'sell']),
  totalDollars: dollarAmount('What the filled contracts cost or brought, without the fee.'),
  status: listedStatus,
  createdAt: time(),
  filledAt: time().nullable(),
});

export const ordersRoute = defineRoute(
  {
    ...READ,
    id: 'listOrders',
    tool: true,
    path: '/predictions/orders',
    summary: 'List orders, newest first',
    query: z.strictObject({
      ticker: optionalText(100, 'Only of this market.'),
      limit: queryInteger({ min: 1, max: 100, default: 50 }, 'Entries in the answer.'),
      cursor: queryCursor(),
    }),
    response: z.strictObject({ orders: z.array(orderRecord), cursor: nextCursor() }).meta({ id: 'OrderPage' }),
    errors: ['POLICY_VIOLATION'],
    example: {
      response: {
        orders: [
          {
            transactionId: ID,
            orderId: ORDER_ID,
            ticker: TICKER,
            eventTicker: 'KXFED-26DEC',
            side: 'yes',
            action: 'buy',
            count: 10,
            requestedCount: 10,
            pricePerContract: 65,
            pricePerContractDollars: '0.65',
            totalDollars: 6.5,
            feeDollars: 0.16,
            status: 'filled',
            createdAt: '2026-11-21T10:02:00.000Z',
            filledAt: '2026-11-21T10:02:01.000Z',
          },
        ],
        cursor: '',
      },
    },
  },
  async ({ input: { query }, caller: { agentId } }, { services: { prediction } }) => {
    const { orders, cursor } = await prediction.orders({ agentId, ...query });
    return { data: { orders: orders.map(showListed), cursor } };
  },
);

const { OrderAction } = predictionV1;

const ACTION_NAMES: Readonly<Record<number, string>> = {
  [OrderAction.ORDER_ACTION_BUY]: 'buy',
  [OrderAction.ORDER_ACTION_SELL]: 'sell',
};

function showListed(order: predictionV1.Order): ExactJson {
  return {
    transactionId: order.operationId,
    ...pick(orderTerms, showOrder(order)),
    eventTicker: order.eventTicker || null,
    feeDollars: usdNumber(order.feeUsdMicros),
    action: required(ACTION_NAMES[order.action], 'action'),
    totalDollars: usdNumber(order.totalUsdMicros),
    status: findOrderStatus(order) ?? 'submitted',
    createdAt: isoTime(order.createdAtMs),
    filledAt: orNull(order.filledAtMs, isoTime),
  };
}
