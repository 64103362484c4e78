import { predictionV1 } from '@agent-wallet/contracts';
import { type ErrorCode, formatAmount, parseAmount, USD_DECIMALS } from '@agent-wallet/kernel';
import { z } from 'zod';
import type { Answered, ExplorerUrl } from '../../application/operations/operation.js';
import {
  averageCents,
  averageDollars,
  contracts,
  dollarsText,
  orNull,
  priceDown,
} from '../../application/responses/cents.js';
import { usdNumber } from '../../application/responses/exact-json.js';
import { required } from '../../ports/services.js';
import { nullable, outcomeMetadata } from '../history/outcome.js';
import { emptyMessage } from '../history/transaction-kind.js';
import { composed } from '../schemas/composed.js';
import { EXPLORER_URL, ID, ORDER_ID, SIGNATURE, TICKER } from '../schemas/examples.js';
import { CONTRACT_DECIMALS, priceField } from '../schemas/contract-fields.js';
import { integerField } from '../schemas/fields.js';
import * as units from '../schemas/units.js';

/* What buys and sales of contracts have in common. */

/** Codes that every order can give. */
export const ORDER_ERRORS: readonly ErrorCode[] = [
  'NOT_FOUND',
  'MARKET_CLOSED',
  'MARKET_PAUSED',
  'NO_LIQUIDITY',
  'TRANSACTION_FAILED',
];

export const sideField = (description: string) => z.enum(['yes', 'no'], 'must be yes or no').meta({ description });
export const limitField = (description: string) => integerField({ min: 1, max: 99, unit: 'PriceCents' }, description);
export const exactLimitField = () => priceField('Exact price, on the tick.');

/** Returns the limit of a request in micro-dollars. */
export function toLimit(cents: number | undefined, dollars: string | undefined): bigint | undefined {
  if (dollars !== undefined) return parseAmount(dollars, USD_DECIMALS);
  return cents === undefined ? undefined : BigInt(cents) * USD_MICROS_PER_CENT;
}

const USD_MICROS_PER_CENT = 10_000n;

/** Fields of metadata for the limit of a request. */
export const limitCents = nullable(units.priceCents(), 'The limit of the request; null for one between whole cents.');
export const limitDollars = nullable(units.dollarPrice(), 'The same, exactly.');

/** Returns the value of `limitCents`. */
export function describeLimitCents(limit: bigint | undefined) {
  return limit === undefined || limit % USD_MICROS_PER_CENT !== 0n ? null : priceDown(limit);
}

/** The status of a final order; `submitted` stands in lists only. */
export const orderStatus = z
  .enum(['filled', 'partially_filled', 'cancelled'])
  .meta({ id: 'OrderStatus', description: '`cancelled`: nothing was filled.' });

/** Fields of every order that was posted (specification 2.6). */
const orderFields = {
  orderId: z.string().nullable().meta({ description: "The exchange's id; null when it gave none." }),
  ticker: z.string(),
  side: units.side,
  count: units.contracts('Contracts filled; of a dry run, those that the book would fill now.'),
  requestedCount: units.contracts('Contracts that were asked for.'),
  pricePerContract: units
    .averageCents()
    .nullable()
    .meta({ description: 'Average price in cents; null when nothing was filled.' }),
  pricePerContractDollars: units.dollarPrice().nullable().meta({ description: 'Rounded to 6 decimals.' }),
  feeDollars: units.dollarAmount("The exchange's fee."),
};

export const orderTerms = z.strictObject(orderFields).meta({ id: 'OrderTerms' });

const finalOrder = z
  .strictObject({
    status: orderStatus,
    transactionId: units.transactionId(),
    transactionStatus: z
      .enum(['confirmed', 'cancelled'])
      .meta({ id: 'FinalOrderState', description: '`cancelled`: nothing was filled, and no money moved in the end.' }),
  })
  .meta({ id: 'FinalOrder', description: 'The order is final.' });

/** Returns the parts of an order's result beside its terms. */
export const orderResult = (signatureMeans: string) => ({
  parts: [finalOrder],
  own: {
    signature: units.signature().nullable().meta({ description: signatureMeans }),
    explorerUrl: units.url().nullable(),
  },
});

/** Returns the values of `orderResult`. An order that moved nothing has no signature. */
export function toOrderOutcome(
  reply: Answered & { readonly facts?: { readonly order?: predictionV1.Order | undefined } | undefined },
  transactionId: string,
  explorerUrl: ExplorerUrl,
) {
  const signature = reply.signature || null;
  const placed = required(reply.facts?.order, 'order');
  return {
    status: orderStatusName(placed),
    transactionId,
    transactionStatus: findOrderStatus(placed) === 'cancelled' ? 'cancelled' : 'confirmed',
    signature,
    explorerUrl: signature && explorerUrl(signature),
  };
}

export const orderMetadata = composed('OrderMetadata', [outcomeMetadata], {
  ...orderFields,
  eventTicker: nullable(z.string()),
  feeDollars: nullable(orderFields.feeDollars),
  status: nullable(orderStatus, 'What became of the order; null while it is open, or if none was placed.'),
  limitPriceDollars: nullable(units.dollarPrice(), 'The limit of the order that was placed, for one contract.'),
});

/** Returns the values of `orderTerms` and `orderMetadata`. */
export function showOrder(order: predictionV1.Order) {
  const { filledHundredths: filled, totalUsdMicros: total } = order;
  const status = findOrderStatus(order) ?? null;
  return {
    orderId: order.orderId || null,
    ticker: order.ticker,
    eventTicker: order.eventTicker || null,
    side: sideName(order.side),
    count: contracts(filled),
    requestedCount: contracts(order.countHundredths),
    pricePerContract: averageCents(total, filled),
    pricePerContractDollars: averageDollars(total, filled),
    feeDollars: status && usdNumber(order.feeUsdMicros),
    status,
    limitPriceDollars: orNull(order.limitUsdMicros, dollarsText),
  };
}

/** Says what became of a final order. @param action `bought` or `sold` */
export function orderMessage(order: predictionV1.Order, action: string): string {
  const [filled, requested] = [contractsText(order.filledHundredths), contractsText(order.countHundredths)];
  switch (findOrderStatus(order)) {
    case 'filled':
      return `${filled} contracts were ${action}.`;
    case 'partially_filled':
      return `${filled} of ${requested} contracts were ${action}. The rest was cancelled.`;
    default: {
      const limit =
        order.limitUsdMicros === undefined ? 'at any price' : `within ${dollarsText(order.limitUsdMicros)} USD`;
      return `Nothing was ${action}: no offer for ${requested} contracts ${limit}. Check the order book, or change the limit.`;
    }
  }
}

function contractsText(hundredths: bigint): string {
  return formatAmount(hundredths, CONTRACT_DECIMALS);
}

/** Returns what the filled contracts cost or brought; null until that is known. */
export function showTotal(order: predictionV1.Order) {
  return findOrderStatus(order) === undefined ? null : usdNumber(order.totalUsdMicros);
}

/** Returns an order of which only the request is known. */
export function requestedOrder(
  { ticker, side }: { readonly ticker: string; readonly side: string },
  countHundredths: bigint,
): predictionV1.Order {
  return { ...emptyMessage(predictionV1.Order), ticker, side: toSide(side), countHundredths };
}

const { OrderStatus, Side } = predictionV1;

const STATUS_NAMES: Readonly<Record<number, string>> = {
  [OrderStatus.ORDER_STATUS_FILLED]: 'filled',
  [OrderStatus.ORDER_STATUS_PARTIALLY_FILLED]: 'partially_filled',
  [OrderStatus.ORDER_STATUS_CANCELLED]: 'cancelled',
};

/** Returns what became of an order; undefined while that is open. */
export function findOrderStatus({ status }: predictionV1.Order): string | undefined {
  return STATUS_NAMES[status];
}

function orderStatusName(order: predictionV1.Order): string {
  return required(findOrderStatus(order), 'status');
}

const SIDE_NAMES: Readonly<Record<number, string>> = { [Side.SIDE_YES]: 'yes', [Side.SIDE_NO]: 'no' };

/** Returns a side's name in public. */
export function sideName(side: predictionV1.Side): string {
  return required(SIDE_NAMES[side], 'side');
}

/** Reads a side's name. */
export function toSide(name: string): predictionV1.Side {
  return name === 'yes' ? Side.SIDE_YES : Side.SIDE_NO;
}

/** The part of a finished order's example beside its terms. */
export const FILLED = {
  status: 'filled',
  transactionId: ID,
  transactionStatus: 'confirmed',
  signature: SIGNATURE,
  explorerUrl: EXPLORER_URL,
};

export const ORDERED = { orderId: ORDER_ID, ticker: TICKER, side: 'yes' } as const;
