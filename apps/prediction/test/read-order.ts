import { predictionV1 } from '@agent-wallet/contracts';
import type { Buy, BuyResult } from '../src/application/buy/buy.js';
import type { Sell, SellResult } from '../src/application/sell/sell.js';

const { OrderStatus } = predictionV1;

const STATUSES: Readonly<Record<number, string>> = {
  [OrderStatus.ORDER_STATUS_FILLED]: 'filled',
  [OrderStatus.ORDER_STATUS_PARTIALLY_FILLED]: 'partially_filled',
  [OrderStatus.ORDER_STATUS_CANCELLED]: 'cancelled',
};

/** A buy's answer as tests compare it. */
export type ReadBuy = ReturnType<typeof readBuy>;

/** A sale's answer as tests compare it. */
export type ReadSale = ReturnType<typeof readSale>;

/** Returns a use case whose answers are read. */
export const readingBuys = (buys: Buy) => ({
  execute: async (call: Parameters<Buy['execute']>[0]) => readBuy(await buys.execute(call)),
});

/** Returns a use case whose answers are read. */
export const readingSales = (sales: Sell) => ({
  execute: async (call: Parameters<Sell['execute']>[0]) => readSale(await sales.execute(call)),
});

function readBuy({ facts, ...answer }: BuyResult) {
  const { order, refundedUsdMicros = 0n, refundSignature, refundedToBalance: isRefundedToBalance } = facts;
  return { ...answer, order: readOrder(order!), refundedUsdMicros, refundSignature, isRefundedToBalance };
}

function readSale({ facts, ...answer }: SellResult) {
  return { ...answer, order: readOrder(facts.order!), isPaidToBalance: facts.paidToBalance };
}

function readOrder({
  orderId,
  eventTicker,
  filledHundredths,
  totalUsdMicros,
  feeUsdMicros,
  status,
}: predictionV1.Order) {
  return { orderId, eventTicker, filled: filledHundredths, totalUsdMicros, feeUsdMicros, status: STATUSES[status] };
}
