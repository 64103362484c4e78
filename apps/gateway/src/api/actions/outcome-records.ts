import { z } from 'zod';
import { openUnion } from '../schemas/composed.js';
import { approvalReasons, decisionRecord } from '../schemas/policy-records.js';
import {
  address,
  decimals,
  lamports,
  signature,
  signedBaseUnits,
  time,
  transactionId,
  url,
  uuid,
} from '../schemas/units.js';

/** The part that the result of every operation on chain has. */
export const confirmed = z
  .strictObject({
    transactionId: transactionId(),
    status: z.literal('confirmed'),
    transactionStatus: z.literal('confirmed'),
    signature: signature(),
    explorerUrl: url(),
  })
  .meta({ id: 'Confirmed', description: 'The operation landed.' });

/** Returns the field `networkFeeLamports`, which means the same everywhere. */
export const networkFee = () => lamports('What the network takes, whether the wallet or the operator pays it.');

const balanceChangeRecord = z
  .strictObject({
    mint: address().nullable().meta({ description: 'Null for the native coin.' }),
    symbol: z.string(),
    decimals: decimals(),
    amountRaw: signedBaseUnits(),
  })
  .meta({ id: 'BalanceChange', description: 'How much of one token the wallet would lose or gain.' });

/** The part of a dry run that replaces the outcome, and what it adds. */
export const dryRunRecord = z
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
      'decided. Transfers, trades, additions of liquidity and buys wait.',
  });

const otherAcceptedRecord = z
  .strictObject({ status: z.string(), transactionStatus: z.string(), transactionId: transactionId() })
  .meta({ id: 'OtherAccepted', description: 'The outcome is open for another reason: treat it as `submitted`.' });

/** `data` of every 202. */
export const acceptedRecord = openUnion(
  z.discriminatedUnion('transactionStatus', [submittedRecord, awaitingApprovalRecord]).meta({ id: 'Accepted' }),
  otherAcceptedRecord,
);

/** Returns `data` of a 200 to a financial POST: the outcome of this request, or the stored result of an earlier one. */
export function financialResponse(name: string, result: z.ZodObject, outcome: z.ZodType): z.ZodType<unknown, object> {
  const replay = z
    .strictObject({ cached: z.literal(true), originalResponse: result })
    .meta({ id: `${name}Replay`, description: 'The key was used before: nothing was done again.' });
  return z.union([replay, outcome]) as z.ZodType<unknown, object>;
}
