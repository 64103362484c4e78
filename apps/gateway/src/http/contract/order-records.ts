import { z } from 'zod';
import { dryRunFields } from './records.js';

/** Records of agents' orders, positions and prediction money, for the documents and for the contract tests. */

const time = () => z.iso.datetime();
const dollars = (description: string) => z.number().meta({ description });
const averageCents = () =>
  z.number().nullable().meta({ description: 'Average in cents, up to 4 decimals; null when nothing was filled.' });
const side = z.enum(['yes', 'no']);

const orderStatus = z
  .enum(['filled', 'partially_filled', 'cancelled'])
  .meta({ description: '`cancelled`: nothing was filled.' });

/** What every order that was posted has (specification 2.6). */
const orderFields = {
  orderId: z.string().nullable().meta({ description: 'At the exchange; null when it got none.' }),
  ticker: z.string(),
  side,
  count: z.number().meta({ description: 'Contracts filled.' }),
  pricePerContract: averageCents(),
  feeDollars: dollars('The exchange’s fee.'),
};

const transactionFields = {
  transactionId: z.uuid(),
  transactionStatus: z.literal('confirmed'),
};

export const buyRecord = z.strictObject({
  ...orderFields,
  totalCostDollars: dollars('What the contracts cost, without the fee.'),
  status: orderStatus,
  ...transactionFields,
  refundedDollars: dollars('What came back of the USDC that was taken at first.'),
  refundedToBalance: z
    .boolean()
    .meta({ description: 'Whether it is in the prediction balance, because it could not be sent to the wallet.' }),
  signature: z
    .string()
    .nullable()
    .meta({ description: 'Of the transaction that took the USDC; null when nothing was taken.' }),
  explorerUrl: z.url().nullable(),
  refundSignature: z.string().nullable().meta({ description: 'Of the transaction that brought the rest back.' }),
});

export const sellRecord = z.strictObject({
  ...orderFields,
  totalProceedsDollars: dollars('What the contracts brought, without the fee; the wallet gets it less the fee.'),
  status: orderStatus,
  ...transactionFields,
  paidToBalance: z
    .boolean()
    .meta({ description: 'Whether the proceeds are in the prediction balance, because they could not be sent.' }),
  signature: z.string().nullable().meta({ description: 'Of the payout; null when nothing was sold.' }),
  explorerUrl: z.url().nullable(),
});

const dryOrderFields = {
  ...dryRunFields,
  orderId: z.null(),
  transactionStatus: z.literal('dry_run'),
  count: z.number().meta({ description: 'Contracts that the book would fill now.' }),
};

export const buyDryRunRecord = buyRecord.extend({ ...dryOrderFields, refundSignature: z.null() });
export const sellDryRunRecord = sellRecord.extend(dryOrderFields);

export const withdrawalRecord = z.strictObject({
  withdrawalId: z.uuid().meta({ description: 'The same as `transactionId`.' }),
  transactionId: z.uuid(),
  status: z.literal('confirmed'),
  amountDollars: z.number(),
  newBalanceDollars: dollars('The prediction balance after it.'),
  signature: z.string(),
  explorerUrl: z.url(),
});

export const predictionBalanceRecord = z.strictObject({
  balanceCents: z.int().meta({ description: 'What is owed to the agent, rounded down.' }),
  balanceDollars: dollars('The same, exactly.'),
  reservedCents: z.int().meta({ description: 'What of it is on its way to the wallet.' }),
  availableCents: z.int().meta({ description: 'What of it can be withdrawn.' }),
});

const positionRecord = z.strictObject({
  ticker: z.string(),
  eventTicker: z.string(),
  side,
  quantity: z.number().meta({ description: 'Contracts; of a settled position those that it had.' }),
  lockedQuantity: z.number().meta({ description: 'Contracts of it that are being sold.' }),
  averagePrice: averageCents(),
  totalCostDollars: dollars('What the contracts cost, without fees.'),
  currentPrice: z
    .int()
    .nullable()
    .meta({ description: 'What somebody pays for one now in cents, rounded down; null when nobody does.' }),
  currentPriceDollars: z.string().nullable(),
  currentValueDollars: z.number().nullable(),
  unrealizedPnlDollars: z.number().nullable(),
  settled: z.boolean(),
  settlementResult: z.enum(['won', 'lost', 'void', 'scalar']).nullable(),
  settlementPayoutDollars: z.number().nullable(),
});

export const positionsRecord = z.strictObject({
  positions: z.array(positionRecord),
  summary: z.strictObject({ totalPositions: z.int(), openPositions: z.int(), settledPositions: z.int() }),
});

export const orderRecord = z.strictObject({
  ...orderFields,
  eventTicker: z.string().nullable(),
  action: z.enum(['buy', 'sell']),
  requestedCount: z.number().meta({ description: 'Contracts that were asked for.' }),
  totalDollars: dollars('What the filled contracts cost or brought, without the fee.'),
  status: z
    .enum(['submitted', 'filled', 'partially_filled', 'cancelled'])
    .meta({ description: '`submitted`: not known yet.' }),
  createdAt: time(),
  filledAt: time().nullable(),
});
