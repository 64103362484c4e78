import { policyV1 } from '@agent-wallet/contracts';
import { orNull } from './cents.js';
import { type ExactJson, integerNumber, isoTime, percentOfBps, usdNumber } from './exact-json.js';

/** Treatments of payments to new recipients, by public name. */
export const NEW_RECIPIENTS = {
  allow: policyV1.NewRecipients.NEW_RECIPIENTS_ALLOW,
  approve: policyV1.NewRecipients.NEW_RECIPIENTS_APPROVE,
  deny: policyV1.NewRecipients.NEW_RECIPIENTS_DENY,
} as const;

/** Returns a policy as specification 2.1 shows it. */
function policyResponse(policy: policyV1.Policy): ExactJson {
  return {
    maxSingleTransactionInUsd: usdNumber(policy.maxSingleTransactionUsdMicros),
    dailyLimitInUsd: usdNumber(policy.dailyLimitUsdMicros),
    allowedRecipients: policy.allowedRecipients,
    allowTrading: policy.allowTrading,
    allowLiquidityProvision: policy.allowLiquidityProvision,
    allowPredictionMarkets: policy.allowPredictionMarkets,
    sessionExpirationHours: policy.sessionExpirationHours,
    newRecipients: newRecipientsOf(policy),
    newRecipientCoolDownHours: policy.newRecipientCoolDownHours,
    approveAboveInUsd: policy.approveAboveUsdMicros === undefined ? null : usdNumber(policy.approveAboveUsdMicros),
    allowedTokens: policy.allowedTokens?.entries ?? null,
    allowedMarkets: policy.allowedMarkets?.entries ?? null,
  };
}

function newRecipientsOf({ newRecipients }: policyV1.Policy): string {
  const found = Object.entries(NEW_RECIPIENTS).find(([, wire]) => wire === newRecipients);
  if (!found) throw new Error(`policy answered with ${newRecipients} for new recipients`);
  return found[0];
}

/** Returns the usage of the daily limit. */
export function usageResponse(usage: policyV1.GetUsageResponse) {
  return {
    usedUsd: usdNumber(usage.settledUsdMicros + usage.reservedUsdMicros),
    settledUsd: usdNumber(usage.settledUsdMicros),
    reservedUsd: usdNumber(usage.reservedUsdMicros),
    remainingTodayUsd: usdNumber(usage.remainingTodayUsdMicros),
    maxAllowedNowUsd: usdNumber(usage.maxAllowedNowUsdMicros),
    windowStartsAt: isoTime(usage.windowStartsAtMs),
    resetsAt: resetsAt(usage),
  };
}

/** Returns the time when the oldest counted value leaves the window; null when nothing counts. */
export function resetsAt(usage: policyV1.GetUsageResponse): string | null {
  return usage.resetsAtMs === 0n ? null : isoTime(usage.resetsAtMs);
}

/** Returns warnings about effects that a policy seems to have and does not. */
export function policyWarnings(policy: policyV1.Policy): ExactJson[] {
  const warnings: ExactJson[] = [];
  if (policy.maxSingleTransactionUsdMicros > policy.dailyLimitUsdMicros) {
    warnings.push({
      code: 'single_limit_exceeds_daily_limit',
      message: 'maxSingleTransactionInUsd exceeds dailyLimitInUsd. No transaction can be larger than dailyLimitInUsd.',
    });
  }
  return [...warnings, ...openExits(policy)];
}

/** Warns of each way by which the money can still leave beside a rule for recipients. */
function openExits(policy: policyV1.Policy): ExactJson[] {
  const { allowedRecipients, newRecipients } = policy;
  if (allowedRecipients.length === 0 && newRecipients === NEW_RECIPIENTS.allow) return [];
  const warnings: ExactJson[] = [];
  if (policy.allowTrading && policy.allowedTokens === undefined) {
    warnings.push({
      code: 'recipients_do_not_limit_trades',
      message:
        'Rules for recipients limit transfers only. Trades can still lose the money: set allowedTokens, or switch off ' +
        'allowTrading.',
    });
  }
  if (policy.allowPredictionMarkets && policy.allowedMarkets === undefined) {
    warnings.push({
      code: 'recipients_do_not_limit_bets',
      message:
        'Rules for recipients limit transfers only. Buys of contracts can still lose the money: set allowedMarkets, or ' +
        'switch off allowPredictionMarkets.',
    });
  }
  return warnings;
}

/** Returns a policy with its version, the fields for the owner alone, and its warnings. */
export function policyInForce(policy: policyV1.Policy) {
  const { claimed, version, approvalLifetimeHours, maxTradeLossBps, unpricedTokens, allowMailLogin } = policy;
  return {
    policy: policyResponse(policy),
    claimed,
    version: integerNumber(version),
    approvalLifetimeHours,
    maxTradeLossPercent: orNull(maxTradeLossBps, percentOfBps),
    unpricedTokens,
    allowMailLogin,
    warnings: policyWarnings(policy),
  };
}
