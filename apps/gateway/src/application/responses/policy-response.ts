import { type policyV1, readPolicyFields } from '@agent-wallet/contracts';
import {
  POLICY_FIELD_LIST,
  type PolicyFieldKind,
  type PolicyValueOfKind,
  type PolicyValues,
} from '@agent-wallet/kernel';
import { type ExactJson, integerNumber, isoTime, percentOfBps, usdNumber } from './exact-json.js';

/** Renderers of the values of a kind. */
const SHOW: { readonly [Kind in PolicyFieldKind]: (value: PolicyValueOfKind[Kind]) => ExactJson } = {
  usd: usdNumber,
  optionalUsd: (micros) => (micros === null ? null : usdNumber(micros)),
  hours: (count) => count,
  flag: (isOn) => isOn,
  percent: (bps) => (bps === null ? null : percentOfBps(bps)),
  list: (entries) => entries,
  allowList: (entries) => entries,
  treatment: (name) => name,
};

/** Returns the fields of a policy by their public names. */
export function showPolicy(policy: PolicyValues, whose: 'agent' | 'owner'): Record<string, ExactJson> {
  const fields = POLICY_FIELD_LIST.filter(({ isOwners = false }) => isOwners === (whose === 'owner'));
  return Object.fromEntries(fields.map(({ name, key, kind }) => [name, SHOW[kind](policy[key] as never)]));
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
export function policyWarnings(policy: PolicyValues): ExactJson[] {
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
function openExits(policy: PolicyValues): ExactJson[] {
  const { allowedRecipients, newRecipients } = policy;
  if (allowedRecipients.length === 0 && newRecipients === 'allow') return [];
  const warnings: ExactJson[] = [];
  if (policy.allowTrading && policy.allowedTokens === null) {
    warnings.push({
      code: 'recipients_do_not_limit_trades',
      message:
        'Rules for recipients limit transfers only. Trades can still lose the money: set allowedTokens, or switch off ' +
        'allowTrading.',
    });
  }
  if (policy.allowPredictionMarkets && policy.allowedMarkets === null) {
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
export function policyInForce(message: policyV1.Policy) {
  const policy = readPolicyFields(message);
  return {
    policy: showPolicy(policy, 'agent'),
    claimed: message.claimed,
    version: integerNumber(message.version),
    ...showPolicy(policy, 'owner'),
    warnings: policyWarnings(policy),
  };
}
