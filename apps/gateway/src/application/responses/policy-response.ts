import type { policyV1 } from '@agent-wallet/contracts';
import { type ExactJson, isoTime, usdNumber } from './exact-json.js';

/** A policy as specification 2.1 shows it. */
export function policyResponse(policy: policyV1.Policy): ExactJson {
  return {
    maxSingleTransactionInUsd: usdNumber(policy.maxSingleTransactionUsdMicros),
    dailyLimitInUsd: usdNumber(policy.dailyLimitUsdMicros),
    allowedRecipients: policy.allowedRecipients,
    allowTrading: policy.allowTrading,
    allowLiquidityProvision: policy.allowLiquidityProvision,
    allowPredictionMarkets: policy.allowPredictionMarkets,
    sessionExpirationHours: policy.sessionExpirationHours,
  };
}

/** How much of the daily limit is used. */
export function usageResponse(usage: policyV1.GetUsageResponse): ExactJson {
  return {
    usedUsd: usdNumber(usage.usedUsdMicros),
    reservedUsd: usdNumber(usage.reservedUsdMicros),
    remainingTodayUsd: usdNumber(usage.remainingTodayUsdMicros),
    maxAllowedNowUsd: usdNumber(usage.maxAllowedNowUsdMicros),
    windowStartsAt: isoTime(usage.windowStartsAtMs),
    resetsAt: usage.resetsAtMs === 0n ? null : isoTime(usage.resetsAtMs),
  };
}
