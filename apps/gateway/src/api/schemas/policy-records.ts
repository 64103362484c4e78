import { POLICY_RULES } from '@agent-wallet/kernel';
import { z } from 'zod';
import { address, count, growing, hours, percentNumber, time, usd } from './units.js';

/** Rules for payments to unknown recipients. */
export const NEW_RECIPIENTS = ['allow', 'approve', 'deny'] as const;

/** A policy (specification 2.1), and what of it asks for approvals. */
const policyRecord = z
  .strictObject({
    maxSingleTransactionInUsd: usd('Largest value of one transaction.'),
    dailyLimitInUsd: usd('Largest value of all transactions in any 24 hours.'),
    allowedRecipients: z.array(address()).meta({ description: 'Recipients of transfers; empty allows every one.' }),
    allowTrading: z.boolean(),
    allowLiquidityProvision: z.boolean(),
    allowPredictionMarkets: z.boolean(),
    sessionExpirationHours: hours('Validity of a token, from the next login on.'),
    newRecipients: z.enum(NEW_RECIPIENTS).meta({ description: 'Payments to recipients that are not known.' }),
    newRecipientCoolDownHours: hours('How long after a settled payment its recipient is known.'),
    approveAboveInUsd: usd().nullable().meta({ description: 'Above this, spending needs approval; null: never.' }),
    allowedTokens: z
      .array(address())
      .nullable()
      .meta({ description: 'Mints that trades may bring; null allows all, `[]` none.' }),
    allowedMarkets: z
      .array(z.string())
      .nullable()
      .meta({ description: 'Tickers that may be bought, or their beginnings up to a hyphen; null allows all.' }),
  })
  .meta({ id: 'Policy', description: 'What the agent may do.' });

/** Codes of settings that may not have the intended effect. */
const POLICY_WARNINGS = [
  'single_limit_exceeds_daily_limit',
  'recipients_do_not_limit_trades',
  'recipients_do_not_limit_bets',
] as const;

const policyWarningRecord = z
  .strictObject({
    code: growing('PolicyWarningCode', POLICY_WARNINGS, 'Why a policy may not do what it seems to do.')(),
    message: z.string(),
  })
  .meta({ id: 'PolicyWarning' });

/** Descriptions of the fields for the owner alone, in requests and results. */
export const OWNER_FIELDS = {
  approvalLifetimeHours: 'How long the owner can decide on a proposal.',
  maxTradeLossPercent:
    'Most that a trade may lose between the values of its input and its least output; null: 10 %, or what the request names.',
  unpricedTokens: 'Mints that may leave without a price, at no value.',
  allowMailLogin: 'Login by mailed code.',
} as const;

export const policyResult = z
  .strictObject({
    policy: policyRecord,
    claimed: z.boolean().meta({ description: 'Whether the agent has an owner, who alone can loosen the policy.' }),
    version: count('Rises with each change.'),
    approvalLifetimeHours: hours(OWNER_FIELDS.approvalLifetimeHours),
    maxTradeLossPercent: percentNumber().nullable().meta({ description: OWNER_FIELDS.maxTradeLossPercent }),
    unpricedTokens: z.array(address()).meta({ description: OWNER_FIELDS.unpricedTokens }),
    allowMailLogin: z.boolean().meta({ description: OWNER_FIELDS.allowMailLogin }),
    warnings: z.array(policyWarningRecord),
  })
  .meta({ id: 'PolicyResult' });

/** The explanation of `resetsAt` wherever it stands. */
const RESETS_AT =
  'When the oldest counted value leaves the window. If only reservations count, 24 hours from now, or sooner if they are released.';

export const usageRecord = z
  .strictObject({
    usedUsd: usd('What counts against the daily limit now: `settledUsd + reservedUsd`.'),
    settledUsd: usd('Value of the operations that landed in the last 24 hours.'),
    reservedUsd: usd('Value of the operations whose outcome is open.'),
    remainingTodayUsd: usd('`dailyLimitInUsd - usedUsd`, at least 0.'),
    maxAllowedNowUsd: usd('The largest single transaction that would pass now.'),
    windowStartsAt: time('24 hours ago.'),
    resetsAt: time()
      .nullable()
      .meta({ description: `${RESETS_AT} Null when nothing counts.` }),
  })
  .meta({ id: 'PolicyUsage' });

export const policyRule = growing('PolicyRule', POLICY_RULES, 'The rule of the policy that refuses a request.');

/** Returns the list of reasons for which an owner must approve an operation. */
export const approvalReasons = () =>
  z.array(growing('ApprovalReason', ['above_amount', 'new_recipient'], 'Why the owner must approve an operation.')());

const tradeValues = z
  .strictObject({
    inputUsd: usd().nullable().meta({ description: 'What it takes; null without a price.' }),
    leastOutputUsd: usd().nullable().meta({ description: 'What it brings at least; null without a price.' }),
    lossPercent: percentNumber()
      .nullable()
      .meta({ description: 'The loss; negative for a gain, null without a price.' }),
    maxLossPercent: percentNumber('The loss above which the trade is refused.'),
  })
  .meta({ id: 'TradeValues', description: 'The values of a trade at market prices.' });

export const decisionRecord = z
  .strictObject({
    allowed: z.boolean().meta({ description: 'Whether policy would let the request pass now.' }),
    rule: policyRule().nullable().meta({ description: 'The rule that refuses it; null when allowed.' }),
    limitUsd: usd().nullable().meta({ description: 'The limit that refuses it; null for every other rule.' }),
    usedUsd: usd('What counts against the daily limit now, `reservedUsd` included.'),
    reservedUsd: usd('What of `usedUsd` belongs to operations whose outcome is open.'),
    remainingUsd: usd('What is left of the daily limit.'),
    requestedUsd: usd().nullable().meta({
      description: "The value of this request, rent for the recipient's account included; null without a price.",
    }),
    maxAllowedNowUsd: usd('The largest single transaction that would pass now.'),
    resetsAt: time()
      .nullable()
      .meta({ description: `${RESETS_AT} Null when nothing counts.` }),
    approvalRequired: z.boolean().meta({ description: 'Whether the owner would have to approve it first.' }),
    approvalReasons: approvalReasons(),
    trade: tradeValues.nullable().meta({ description: 'Null unless a trade.' }),
  })
  .meta({ id: 'PolicyDecision', description: 'What policy would decide.' });
