import { z } from 'zod';
import { nextCursor } from './market-records.js';
import { composed } from './composed.js';
import { confirmed, dryRun } from './operation-records.js';
import {
  averageCents,
  cents,
  contracts,
  count,
  dollarAmount,
  dollarPrice,
  growing,
  side,
  signature,
  time,
  transactionId,
  url,
} from './units.js';

/** Records of agents' orders, positions and prediction money. */

/** What became of an order; `submitted` stands in lists alone. */
export const orderStatus = z
  .enum(['filled', 'partially_filled', 'cancelled'])
  .meta({ id: 'OrderStatus', description: '`cancelled`: nothing was filled.' });

/** What every order that was posted has (specification 2.6). */
export const orderFields = {
  orderId: z.string().nullable().meta({ description: "The exchange's id; null when it gave none." }),
  ticker: z.string(),
  side,
  count: contracts('Contracts filled; of a dry run, those that the book would fill now.'),
  requestedCount: contracts('Contracts that were asked for.'),
  pricePerContract: averageCents()
    .nullable()
    .meta({ description: 'Average price in cents; null when nothing was filled.' }),
  pricePerContractDollars: dollarPrice().nullable().meta({ description: 'Rounded to 6 decimals.' }),
  feeDollars: dollarAmount("The exchange's fee."),
};

const posted = z
  .strictObject({
    status: orderStatus,
    transactionId: transactionId(),
    transactionStatus: z.literal('confirmed'),
  })
  .meta({ id: 'FinalOrder', description: 'The order is final.' });

const order = z.strictObject(orderFields).meta({ id: 'OrderTerms' });

const buyTerms = z
  .strictObject({
    totalCostDollars: dollarAmount('What the contracts cost, without the fee.'),
    refundedDollars: dollarAmount('What came back of the USDC that was taken at first.'),
    refundedToBalance: z
      .boolean()
      .meta({ description: 'Whether it is in the prediction balance, because it could not be sent to the wallet.' }),
    refundSignature: signature()
      .nullable()
      .meta({ description: 'Of the transaction that brought the rest back; null for none.' }),
  })
  .meta({ id: 'BuyContractsTerms' });

const sellTerms = z
  .strictObject({
    totalProceedsDollars: dollarAmount('What the contracts brought, without the fee. The wallet gets it less the fee.'),
    paidToBalance: z
      .boolean()
      .meta({ description: 'Whether the proceeds are in the prediction balance, because they could not be sent.' }),
  })
  .meta({ id: 'SellContractsTerms' });

export const buyResult = composed('BuyContractsResult', [order, buyTerms, posted], {
  signature: signature()
    .nullable()
    .meta({ description: 'Of the transaction that took the USDC; null when nothing was taken.' }),
  explorerUrl: url().nullable(),
});
export const buyDryRun = composed('BuyContractsDryRun', [order, buyTerms, dryRun]);
export const sellResult = composed('SellContractsResult', [order, sellTerms, posted], {
  signature: signature().nullable().meta({ description: 'Of the payout; null when nothing was sold.' }),
  explorerUrl: url().nullable(),
});
export const sellDryRun = composed('SellContractsDryRun', [order, sellTerms, dryRun]);

export const buyOutcome = z
  .discriminatedUnion('transactionStatus', [buyResult, buyDryRun])
  .meta({ id: 'BuyContractsOutcome' });
export const sellOutcome = z
  .discriminatedUnion('transactionStatus', [sellResult, sellDryRun])
  .meta({ id: 'SellContractsOutcome' });

export const withdrawalResult = composed('WithdrawalResult', [confirmed], {
  withdrawalId: transactionId('The same as `transactionId`.'),
  amountDollars: dollarAmount(),
  newBalanceDollars: dollarAmount('The prediction balance after it.'),
});
export const withdrawalOutcome = z
  .discriminatedUnion('transactionStatus', [withdrawalResult])
  .meta({ id: 'WithdrawalOutcome' });

export const predictionBalanceRecord = z
  .strictObject({
    balanceCents: cents('What is owed to the agent, rounded down.'),
    balanceDollars: dollarAmount(),
    reservedCents: cents('What of it is on its way to the wallet, rounded down.'),
    reservedDollars: dollarAmount(),
    availableCents: cents('What of it can be withdrawn, rounded down.'),
    availableDollars: dollarAmount(),
  })
  .meta({ id: 'PredictionBalance' });

/** How a position ended. */
export const settlementResult = z.enum(['won', 'lost', 'void', 'scalar']).meta({ id: 'SettlementResult' });

const positionRecord = z
  .strictObject({
    ticker: z.string(),
    eventTicker: z.string(),
    side,
    quantity: contracts('Of a settled position, the contracts it had.'),
    lockedQuantity: contracts('Contracts of it that are being sold.'),
    averagePrice: averageCents().nullable().meta({ description: 'Average price in cents; null without contracts.' }),
    averagePriceDollars: dollarPrice().nullable().meta({ description: 'Rounded to 6 decimals.' }),
    totalCostDollars: dollarAmount('What the contracts cost, without fees.'),
    currentPrice: cents()
      .nullable()
      .meta({ description: 'The best bid now in cents, rounded down; null without one.' }),
    currentPriceDollars: dollarPrice().nullable(),
    currentValueDollars: dollarAmount().nullable().meta({ description: 'The contracts at that price.' }),
    unrealizedPnlDollars: dollarAmount().nullable().meta({ description: 'That value less the cost.' }),
    settled: z.boolean(),
    settlementResult: settlementResult.nullable(),
    settlementPayoutDollars: dollarAmount().nullable(),
  })
  .meta({ id: 'Position' });

const positionSummaryRecord = z
  .strictObject({ totalPositions: count(), openPositions: count(), settledPositions: count() })
  .meta({ id: 'PositionSummary' });

export const positionsRecord = z
  .strictObject({ positions: z.array(positionRecord), summary: positionSummaryRecord })
  .meta({ id: 'PositionsResult' });

const listedStatus = growing(
  'ListedOrderStatus',
  ['submitted', ...orderStatus.options],
  '`submitted`: the outcome is not known yet.',
)();

export const orderRecord = composed('Order', [order], {
  transactionId: transactionId(),
  eventTicker: z.string().nullable(),
  action: z.enum(['buy', 'sell']),
  totalDollars: dollarAmount('What the filled contracts cost or brought, without the fee.'),
  status: listedStatus,
  createdAt: time(),
  filledAt: time().nullable(),
});

export const orderPage = z
  .strictObject({ orders: z.array(orderRecord), cursor: nextCursor() })
  .meta({ id: 'OrderPage' });
