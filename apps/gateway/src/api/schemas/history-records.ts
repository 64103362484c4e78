import { z } from 'zod';
import { composed } from './composed.js';
import { errorDataRecord } from './error-records.js';
import { networkFee, priceImpact, tokenWarningFields, tradeTerms } from './operation-records.js';
import { NEW_RECIPIENTS } from './policy-records.js';
import { orderFields, orderStatus, settlementResult } from './order-records.js';
import {
  address,
  amountText,
  averageCents,
  baseUnits,
  cents,
  contracts,
  count,
  decimals,
  dollarAmount,
  dollarPrice,
  growing,
  lamports,
  side,
  signature,
  time,
  tokenAmount,
  transactionId,
} from './units.js';

/** Records of history (specification 2.4). */

/** What a record can be about. */
export const HISTORY_ACTIONS = [
  'transfer',
  'trade',
  'deposit',
  'unwrap_sol',
  'prediction_buy',
  'prediction_sell',
  'prediction_settlement',
  'prediction_withdrawal',
  'policy_update',
] as const;

const transactionState = growing(
  'TransactionState',
  [
    ...(['pending', 'awaiting_approval', 'submitted', 'confirmed', 'failed', 'expired'] as const),
    ...(['rejected_by_policy', 'rejected_by_owner', 'cancelled', 'dropped'] as const),
  ],
  'Where a record of history stands. A `pending` deposit can be spent and is not final yet; of any other action, ' +
    '`pending` has not reached the chain. The agent withdrew what is `cancelled` before the owner had decided. The chain has undone a `dropped` deposit; only `order=recorded` lists it.',
);

/** Every field of metadata is there; what is not known, or does not apply, is null. */
const orNull = <T extends z.ZodType>(schema: T, description?: string) =>
  description === undefined ? schema.nullable() : schema.nullable().meta({ description });

/** What every operation that can fail has. */
const outcomeMetadata = z
  .strictObject({
    error: orNull(errorDataRecord, 'Why it was not done; null unless it failed.'),
    errorMessage: orNull(z.string(), 'The message of that error.'),
  })
  .meta({ id: 'OutcomeMetadata' });

/** What every operation of one transaction has. */
const chainMetadata = composed('ChainMetadata', [outcomeMetadata], { networkFeeLamports: orNull(networkFee()) });

const transferMetadata = composed('TransferMetadata', [chainMetadata], {
  amountSent: orNull(tokenAmount(), 'What the recipient got.'),
  amountSentRaw: orNull(baseUnits()),
  fee: orNull(tokenAmount(), "The operator's fee."),
  feeRaw: orNull(baseUnits()),
  feeMode: orNull(z.enum(['added', 'deducted'])),
  rentLamports: orNull(lamports(), "Rent for the recipient's new account."),
  sponsored: z.boolean().meta({ description: 'Whether the operator paid network fee and rent.' }),
  memo: orNull(z.string()),
});

const tokenWarningCode = z.strictObject(tokenWarningFields).meta({ id: 'TokenWarningSummary' });

const tradeMetadata = composed('TradeMetadata', [chainMetadata], {
  from: z.string().meta({ description: 'What was spent: its symbol, or what the request named.' }),
  to: z.string().meta({ description: 'What came in: its symbol, or what the request named.' }),
  inputAmount: orNull(amountText()),
  outputAmount: orNull(amountText(), 'What came in; the quote until the trade has landed.'),
  inputMint: orNull(tradeTerms.inputMint),
  outputMint: orNull(tradeTerms.outputMint),
  inputAmountRaw: orNull(tradeTerms.inputAmountRaw),
  outputAmountRaw: orNull(tradeTerms.outputAmountRaw),
  minOutputAmountRaw: orNull(tradeTerms.minOutputAmountRaw),
  slippageBps: tradeTerms.slippageBps,
  priceImpact: priceImpact(),
  route: tradeTerms.route,
  warnings: z.array(tokenWarningCode),
});

const unwrapMetadata = composed('UnwrapSolMetadata', [chainMetadata], {
  sponsored: z.boolean().meta({ description: 'Whether the operator paid the network fee.' }),
});

const depositMetadata = z
  .strictObject({
    from: orNull(address(), 'The sender; null if the chain does not say.'),
    account: orNull(address(), 'The token account that it arrived in; null for the wallet itself.'),
  })
  .meta({ id: 'DepositMetadata' });

const orderMetadata = composed('OrderMetadata', [outcomeMetadata], {
  ...orderFields,
  eventTicker: orNull(z.string()),
  feeDollars: orNull(orderFields.feeDollars),
  status: orNull(orderStatus, 'What became of the order; null while it is open, or if none was placed.'),
  limitPriceDollars: orNull(dollarPrice(), 'The limit of the order that was placed.'),
});

const buyMetadata = composed('BuyContractsMetadata', [orderMetadata], {
  maxPriceCents: orNull(cents(), 'The limit of the request.'),
  totalCostDollars: orNull(dollarAmount()),
  escrowDollars: orNull(dollarAmount(), 'USDC that was taken from the wallet at first.'),
  refundedDollars: orNull(dollarAmount()),
  refundedToBalance: z.boolean(),
  refundSignature: orNull(signature()),
});

const sellMetadata = composed('SellContractsMetadata', [orderMetadata], {
  minPriceCents: orNull(cents(), 'The limit of the request.'),
  totalProceedsDollars: orNull(dollarAmount()),
  paidToBalance: z.boolean(),
});

const settledPositionRecord = z
  .strictObject({
    side,
    quantity: contracts(),
    totalCostDollars: dollarAmount(),
    settlementResult,
    settlementPayoutDollars: dollarAmount(),
  })
  .meta({ id: 'SettledPosition' });

const settlementMetadata = z
  .strictObject({
    ticker: z.string(),
    eventTicker: z.string(),
    result: z.string().meta({ description: 'What the market resolved to: `yes`, `no` or `scalar`.' }),
    settlementValue: averageCents('What a yes contract pays, in cents.'),
    settlementValueDollars: dollarPrice(),
    positions: z.array(settledPositionRecord),
  })
  .meta({ id: 'SettlementMetadata' });

const withdrawalMetadata = composed('WithdrawalMetadata', [outcomeMetadata], { amountDollars: dollarAmount() });

const policyNumber = z
  .number()
  .meta({ id: 'PolicyNumber', description: 'In the unit of the field: US dollars or hours.' });
const policyValue = z
  .union([z.boolean(), policyNumber, z.enum(NEW_RECIPIENTS), z.array(z.string())])
  .nullable()
  .meta({ id: 'PolicyValue', description: 'The value of one field of a policy.' });
const policyChange = z
  .strictObject({ field: z.string(), before: policyValue, after: policyValue })
  .meta({ id: 'PolicyChange' });
const policyUpdateMetadata = z.strictObject({ changes: z.array(policyChange) }).meta({ id: 'PolicyUpdateMetadata' });

const transactionFields = z
  .strictObject({
    id: transactionId('`transactionId` of the operation.'),
    asset: orNull(z.string(), 'Symbol; null where there is none.'),
    mint: orNull(address(), 'Null for the native coin, without an asset, and until history has the record.'),
    decimals: orNull(decimals(), 'Null without an amount, and until history has the record.'),
    amount: orNull(tokenAmount()),
    amountRaw: orNull(baseUnits()),
    to: address('The recipient.').optional(),
    signature: orNull(signature()),
    status: transactionState(),
    createdAt: time(),
    updatedAt: time('When it last changed.'),
  })
  .meta({ id: 'TransactionFields' });

/** A record of one action, whose metadata has the names and units of that action's response. */
function recordOf<A extends (typeof HISTORY_ACTIONS)[number], M extends z.ZodType>(id: string, action: A, metadata: M) {
  return composed(`${id}Transaction`, [transactionFields], { action: z.literal(action), metadata });
}

export const transactionRecord = z
  .discriminatedUnion('action', [
    recordOf('Transfer', 'transfer', transferMetadata),
    recordOf('Trade', 'trade', tradeMetadata),
    recordOf('Deposit', 'deposit', depositMetadata),
    recordOf('UnwrapSol', 'unwrap_sol', unwrapMetadata),
    recordOf('BuyContracts', 'prediction_buy', buyMetadata),
    recordOf('SellContracts', 'prediction_sell', sellMetadata),
    recordOf('Settlement', 'prediction_settlement', settlementMetadata),
    recordOf('Withdrawal', 'prediction_withdrawal', withdrawalMetadata),
    recordOf('PolicyUpdate', 'policy_update', policyUpdateMetadata),
  ])
  .meta({ id: 'Transaction', description: 'A record of history. More actions may follow.' });

export const transactionResult = z.strictObject({ transaction: transactionRecord }).meta({ id: 'TransactionResult' });

const paginationRecord = z
  .strictObject({
    total: count('All records that match.'),
    limit: count('As used.'),
    offset: count('As used; 0 with a cursor.'),
    hasMore: z.boolean(),
  })
  .meta({ id: 'Pagination' });

export const transactionPage = z
  .strictObject({
    transactions: z.array(transactionRecord),
    pagination: paginationRecord,
    nextCursor: orNull(
      z.string(),
      '`cursor` of the next page; null at the end. With `order=recorded` it is never null: ask again with it later.',
    ),
  })
  .meta({ id: 'TransactionPage' });
