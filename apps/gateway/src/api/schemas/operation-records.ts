import { z } from 'zod';
import { composed } from './composed.js';
import { approvalReasons, decisionRecord } from './policy-records.js';
import {
  address,
  amountText,
  baseUnits,
  bps,
  decimals,
  lamports,
  percent,
  signature,
  signedBaseUnits,
  time,
  tokenAmount,
  transactionId,
  url,
  uuid,
} from './units.js';

/** What the result of every operation on chain has. */
export const confirmed = z
  .strictObject({
    transactionId: transactionId(),
    status: z.literal('confirmed'),
    transactionStatus: z.literal('confirmed'),
    signature: signature(),
    explorerUrl: url(),
  })
  .meta({ id: 'Confirmed', description: 'The operation landed.' });

/** The one meaning of `networkFeeLamports`. */
export const networkFee = () => lamports('What the network takes, whether the wallet or the operator pays it.');

const balanceChangeRecord = z
  .strictObject({
    mint: address().nullable().meta({ description: 'Null for the native coin.' }),
    symbol: z.string(),
    decimals: decimals(),
    amountRaw: signedBaseUnits(),
  })
  .meta({ id: 'BalanceChange', description: 'How much of one token the wallet would lose or gain.' });

/** What a dry run has instead of an outcome, and beyond it. */
export const dryRun = z
  .strictObject({
    transactionId: z.null(),
    status: z.literal('dry_run'),
    transactionStatus: z.literal('dry_run'),
    signature: z.null(),
    explorerUrl: z.null(),
    policy: decisionRecord,
    networkFeeLamports: networkFee(),
    sponsored: z.boolean().meta({ description: 'Whether the operator would pay network fee and rent.' }),
    balanceChanges: z.array(balanceChangeRecord),
  })
  .meta({ id: 'DryRun', description: 'What the operation would come to. Nothing was done.' });

export const submittedRecord = z
  .strictObject({
    status: z.literal('submitted'),
    transactionStatus: z.literal('submitted'),
    transactionId: transactionId(),
    signature: signature().nullable().meta({ description: 'Null while none is known.' }),
    explorerUrl: url().nullable(),
  })
  .meta({
    id: 'Submitted',
    description: 'The outcome is not known yet. Read it from history, or repeat with the same key.',
  });

const awaitingApprovalRecord = z
  .strictObject({
    status: z.literal('awaiting_approval'),
    transactionStatus: z.literal('awaiting_approval'),
    transactionId: transactionId(),
    approvalId: uuid(),
    approvalUrl: url()
      .nullable()
      .meta({ description: 'Where the owner decides; null where the deployment serves no page for it.' }),
    expiresAt: time('Until when the approval can be given, and used.'),
    reasons: approvalReasons(),
  })
  .meta({
    id: 'AwaitingApproval',
    description:
      'The owner must approve it; nothing is signed or reserved. A repeat with the same key answers this until it is ' +
      'decided. Only transfers and trades wait.',
  });

/** `data` of every 202. */
export const acceptedRecord = z
  .discriminatedUnion('transactionStatus', [submittedRecord, awaitingApprovalRecord])
  .meta({ id: 'Accepted' });

/** `data` of a 200 to a financial POST: the outcome of this request, or the stored result of an earlier one. */
export function financialResponse<R extends z.ZodObject, O extends z.ZodType>(name: string, result: R, outcome: O) {
  const replay = z
    .strictObject({ cached: z.literal(true), originalResponse: result })
    .meta({ id: `${name}Replay`, description: 'The key was used before: nothing was done again.' });
  return z.union([replay, outcome]);
}

const transferTerms = z
  .strictObject({
    amount: amountText('The amount that was asked for.'),
    amountRaw: baseUnits(),
    mint: address().nullable().meta({ description: 'Null for the native coin.' }),
    amountSent: tokenAmount('What the recipient got.'),
    amountSentRaw: baseUnits(),
    fee: tokenAmount("The operator's fee."),
    feeRaw: baseUnits(),
    feeMode: z.enum(['added', 'deducted']).meta({ description: '`deducted`: taken from the amount.' }),
    totalDeducted: tokenAmount('What left the wallet in this token, network fee and rent apart.'),
    totalDeductedRaw: baseUnits(),
    rentLamports: lamports("Rent for the recipient's new account; it counts toward the limits. 0 for none."),
    networkFeeLamports: networkFee(),
    recipient: address(),
  })
  .meta({ id: 'TransferTerms' });

export const transferResult = composed('TransferResult', [transferTerms, confirmed]);
export const transferDryRun = composed('TransferDryRun', [transferTerms, dryRun]);
export const transferOutcome = z
  .discriminatedUnion('transactionStatus', [transferResult, transferDryRun])
  .meta({ id: 'TransferOutcome' });

const unwrapTerms = z
  .strictObject({
    amount: amountText('What became SOL.'),
    amountRaw: baseUnits(),
    networkFeeLamports: networkFee(),
  })
  .meta({ id: 'UnwrapSolTerms' });

export const unwrapResult = composed('UnwrapSolResult', [unwrapTerms, confirmed]);
export const unwrapDryRun = composed('UnwrapSolDryRun', [unwrapTerms, dryRun]);
export const unwrapOutcome = z
  .discriminatedUnion('transactionStatus', [unwrapResult, unwrapDryRun])
  .meta({ id: 'UnwrapSolOutcome' });

/** What speaks against a token, as history lists it. */
export const tokenWarningFields = {
  mint: address(),
  type: z.string().meta({ description: 'For programs: `HAS_FREEZE_AUTHORITY` …' }),
  severity: z.enum(['info', 'warning', 'critical']),
};

const tokenWarningRecord = z
  .strictObject({ ...tokenWarningFields, message: z.string() })
  .meta({ id: 'TokenWarning', description: 'What speaks against a token.' });

/** How the price impact is explained wherever it stands. */
export const priceImpact = () =>
  percent()
    .nullable()
    .meta({ description: 'What the trade loses against the market price; positive is a loss. Null if unknown.' });

/** The terms of a trade, in its result and in history. */
export const tradeTerms = {
  inputMint: address("Wrapped SOL's mint for the native coin."),
  outputMint: address("Wrapped SOL's mint for the native coin."),
  inputAmountRaw: baseUnits('What is spent, network fee and rent apart.'),
  outputAmountRaw: baseUnits('What comes in, network fee and rent apart.'),
  minOutputAmountRaw: baseUnits('With less than this coming in, nothing moves.'),
  slippageBps: bps('How far below the quote the output may be.'),
  priceImpact: priceImpact(),
  route: z.array(z.string()).meta({ description: 'Names of the venues, the largest share first.' }),
};

const fullTradeTerms = z
  .strictObject({
    inputAmount: amountText('What was spent.'),
    outputAmount: amountText('What came in.'),
    ...tradeTerms,
    networkFeeLamports: networkFee(),
    warnings: z.array(tokenWarningRecord).meta({ description: 'What speaks against the two tokens.' }),
  })
  .meta({ id: 'TradeTerms' });

export const tradeResult = composed('TradeResult', [fullTradeTerms, confirmed]);
export const tradeDryRun = composed('TradeDryRun', [fullTradeTerms, dryRun]);
export const tradeOutcome = z
  .discriminatedUnion('transactionStatus', [tradeResult, tradeDryRun])
  .meta({ id: 'TradeOutcome' });
