import { POLICY_RULES } from '@agent-wallet/kernel';
import { z } from 'zod';
import { OWNER_POLICY_SHAPE, POLICY_SHAPE } from './policy-fields.js';
import { baseUnits, count, growing, percentNumber, time, tokenAmount, usd } from './units.js';

/** A policy (specification 2.1), and what of it asks for approvals. */
const policyRecord = z.strictObject(POLICY_SHAPE).meta({ id: 'Policy', description: 'What the agent may do.' });

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

export const policyResult = z
  .strictObject({
    policy: policyRecord,
    claimed: z.boolean().meta({ description: 'Whether the agent has an owner, who alone can loosen the policy.' }),
    version: count('Rises with each change.'),
    ...OWNER_POLICY_SHAPE,
    warnings: z.array(policyWarningRecord),
  })
  .meta({ id: 'PolicyResult' });

/** The explanation of `resetsAt` wherever it stands. */
const RESETS_AT =
  'When the oldest counted value leaves the window. If only reservations count, 24 hours from now, or sooner if they are released.';

/** Usage of the limits, as an agent and its owner see it. */
export const usageRecord = z.strictObject({
  usedUsd: usd('Counts against the daily limit: `settledUsd + reservedUsd`.'),
  settledUsd: usd('Landed in the last 24 hours.'),
  reservedUsd: usd('Open: the outcome is not known.'),
  remainingTodayUsd: usd('`dailyLimitInUsd - usedUsd`, at least 0, within the limits of `grant`.'),
  maxAllowedNowUsd: usd('The largest single transaction that would pass now.'),
  windowStartsAt: time('24 hours ago.'),
  resetsAt: time()
    .nullable()
    .meta({ description: `${RESETS_AT} Null when nothing counts.` }),
});

export const policyRule = growing('PolicyRule', POLICY_RULES, 'The rule of the policy that refuses a request.');

/** Returns the list of reasons for which an owner must approve an operation. */
export const approvalReasons = () =>
  z.array(growing('ApprovalReason', ['above_amount', 'new_recipient'], 'Why the owner must approve an operation.')());

/** Returns the fields that name the most of a token that passes. */
export const maxAmountFields = () => ({
  maxAmountNow: tokenAmount()
    .nullable()
    .meta({
      description:
        'An amount of the token to spend that passes these limits now: rounded down, with room for fee and rent. Of a buy of ' +
        'contracts, the USDC that it may take. Null where none passes, without a price, and for liquidity.',
    }),
  maxAmountNowRaw: baseUnits().nullable().meta({ description: '`maxAmountNow` in base units.' }),
});

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
    usedUsd: usd(
      'What counts against the daily limit now, `reservedUsd` included; under `grant_limit`, against the limit that refuses.',
    ),
    reservedUsd: usd('What of `usedUsd` belongs to operations whose outcome is open.'),
    remainingUsd: usd(
      'What is left of the daily limit, and of a scoped token’s; under `grant_limit`, of the limit that refuses.',
    ),
    requestedUsd: usd().nullable().meta({
      description: "The value of this request, rent for the recipient's account included; null without a price.",
    }),
    maxAllowedNowUsd: usd('The largest single transaction that would pass now.'),
    ...maxAmountFields(),
    resetsAt: time()
      .nullable()
      .meta({ description: `${RESETS_AT} Null when nothing counts.` }),
    approvalRequired: z.boolean().meta({ description: 'Whether the owner would have to approve it first.' }),
    approvalReasons: approvalReasons(),
    trade: tradeValues.nullable().meta({ description: 'Null unless a trade.' }),
  })
  .meta({ id: 'PolicyDecision', description: 'What policy would decide.' });
