import { predictionV1 } from '@agent-wallet/contracts';
import { present } from '../../ports/services.js';
import { averageCents, averageDollars, contracts, orNull } from './cents.js';
import { type ExactJson, isoTime, usdNumber } from './exact-json.js';

const { OrderAction, OrderStatus, Side } = predictionV1;

const STATUS_NAMES: Readonly<Record<number, string>> = {
  [OrderStatus.ORDER_STATUS_FILLED]: 'filled',
  [OrderStatus.ORDER_STATUS_PARTIALLY_FILLED]: 'partially_filled',
  [OrderStatus.ORDER_STATUS_CANCELLED]: 'cancelled',
};

const SIDE_NAMES: Readonly<Record<number, string>> = { [Side.SIDE_YES]: 'yes', [Side.SIDE_NO]: 'no' };

const ACTION_NAMES: Readonly<Record<number, string>> = {
  [OrderAction.ORDER_ACTION_BUY]: 'buy',
  [OrderAction.ORDER_ACTION_SELL]: 'sell',
};

/** What a caller buys or sells. */
export function sideOf(name: string): predictionV1.Side {
  return name === 'yes' ? Side.SIDE_YES : Side.SIDE_NO;
}

/** The name of a side. */
export function sideName(side: predictionV1.Side): string {
  return present(SIDE_NAMES[side], 'side');
}

/** The name of what became of an order. */
export function orderStatusName(order: predictionV1.Order): string {
  return present(STATUS_NAMES[order.status], 'status');
}

/** What every response about an order has of it. */
export function orderFields(order: predictionV1.Order): Record<string, ExactJson> {
  return {
    orderId: order.orderId || null,
    ticker: order.ticker,
    side: sideName(order.side),
    count: contracts(order.filledHundredths),
    requestedCount: contracts(order.countHundredths),
    pricePerContract: averageCents(order.totalUsdMicros, order.filledHundredths),
    pricePerContractDollars: averageDollars(order.totalUsdMicros, order.filledHundredths),
    feeDollars: usdNumber(order.feeUsdMicros),
  };
}

/** An order of the past. */
export function orderResponse(order: predictionV1.Order): ExactJson {
  return {
    transactionId: order.operationId,
    ...orderFields(order),
    eventTicker: order.eventTicker || null,
    action: present(ACTION_NAMES[order.action], 'action'),
    totalDollars: usdNumber(order.totalUsdMicros),
    status: STATUS_NAMES[order.status] ?? 'submitted',
    createdAt: isoTime(order.createdAtMs),
    filledAt: orNull(order.filledAtMs, isoTime),
  };
}
