import type { policyV1, walletV1 } from '@agent-wallet/contracts';
import { type ExactJson, isoTime, textNumber, usdNumber } from './exact-json.js';
import { present } from '../../domain/present.js';

/** What a dry run tells beyond the fields of the real answer. */
export function previewFields(
  preview: walletV1.Preview,
  limitUsdMicros: bigint | undefined,
): Record<string, ExactJson> {
  return {
    policy: decisionFields(present(preview.decision, 'decision'), limitUsdMicros),
    networkFeeLamports: textNumber(preview.networkFeeLamports.toString()),
    sponsored: preview.sponsored,
    balanceChanges: preview.balanceChanges.map(({ mint, symbol, amount, isLoss }) => ({
      mint: mint || null,
      symbol,
      amountRaw: `${isLoss && amount > 0n ? '-' : ''}${amount}`,
    })),
  };
}

/** As a refusal tells it: what is reserved counts as used. */
function decisionFields(decision: policyV1.CheckResponse, limitUsdMicros: bigint | undefined): ExactJson {
  const usage = present(decision.usage, 'usage');
  return {
    allowed: decision.allowed,
    rule: decision.rule || null,
    limitUsd: limitUsdMicros === undefined ? null : usdNumber(limitUsdMicros),
    usedUsd: usdNumber(usage.usedUsdMicros + usage.reservedUsdMicros),
    remainingUsd: usdNumber(usage.remainingTodayUsdMicros),
    requestedUsd: decision.valueUsdMicros === undefined ? null : usdNumber(decision.valueUsdMicros),
    maxAllowedNowUsd: usdNumber(usage.maxAllowedNowUsdMicros),
    resetsAt: usage.resetsAtMs === 0n ? null : isoTime(usage.resetsAtMs),
  };
}
