import type { policyV1, walletV1 } from '@agent-wallet/contracts';
import type { ApiResponse, OperationInput } from '../../ports/idempotency-store.js';
import { required } from '../../ports/services.js';
import { orNull } from '../responses/cents.js';
import {
  amountNumber,
  type ExactJson,
  percentOfBps,
  textNumber,
  usdNumber,
  writeJson,
} from '../responses/exact-json.js';
import { resetsAt } from '../responses/policy-response.js';
import type { Action, Commanded } from './operation.js';

/**
 * Returns the response that a command would get, as far as that can be known, with no effect.
 * @throws AppError as the real request would, except for a refusal by policy
 */
export async function evaluateDryRun<Input extends OperationInput>(
  action: Action<Input>,
  command: Commanded<Input>,
): Promise<ApiResponse> {
  const { data, dryRun } = await action.dryRun(command);
  const dataJson = writeJson({
    transactionId: null,
    status: 'dry_run',
    transactionStatus: 'dry_run',
    signature: null,
    explorerUrl: null,
    ...data,
    ...dryRunFields(dryRun),
  });
  return { statusCode: 200, message: 'Dry run: nothing was done.', dataJson };
}

/** Returns the fields of a dry run beyond those of the real response. */
function dryRunFields(dryRun: walletV1.DryRun): Record<string, ExactJson> {
  return {
    policy: decisionFields(required(dryRun.decision, 'decision')),
    networkFeeLamports: textNumber(dryRun.networkFeeLamports.toString()),
    sponsored: dryRun.sponsored,
    balanceChanges: dryRun.balanceChanges.map(({ mint, symbol, decimals, amount, isDebit }) => ({
      mint: mint || null,
      symbol,
      decimals,
      amountRaw: `${isDebit && amount > 0n ? '-' : ''}${amount}`,
    })),
  };
}

/** Returns a decision as a refusal shows it: reserved value counts as used. */
function decisionFields(decision: policyV1.DryRunAuthorizeResponse): ExactJson {
  const usage = required(decision.usage, 'usage');
  return {
    allowed: decision.allowed,
    rule: decision.rule || null,
    limitUsd: decision.limitUsdMicros === undefined ? null : usdNumber(decision.limitUsdMicros),
    usedUsd: usdNumber(usage.settledUsdMicros + usage.reservedUsdMicros),
    reservedUsd: usdNumber(usage.reservedUsdMicros),
    remainingUsd: usdNumber(usage.remainingTodayUsdMicros),
    requestedUsd: decision.valueUsdMicros === undefined ? null : usdNumber(decision.valueUsdMicros),
    maxAllowedNowUsd: usdNumber(usage.maxAllowedNowUsdMicros),
    maxAmountNow: orNull(decision.maxAmountNow, ({ amount, decimals }) => amountNumber(amount, decimals)),
    maxAmountNowRaw: orNull(decision.maxAmountNow, ({ amount }) => String(amount)),
    resetsAt: resetsAt(usage),
    approvalRequired: decision.approval !== undefined,
    approvalReasons: decision.approval?.reasons ?? [],
    trade: orNull(decision.trade, tradeFields),
  };
}

/** Returns what a trade gives and brings; null stands for what has no price. */
function tradeFields(trade: policyV1.TradeValues): ExactJson {
  return {
    inputUsd: orNull(trade.inputUsdMicros, usdNumber),
    leastOutputUsd: orNull(trade.leastOutputUsdMicros, usdNumber),
    lossPercent: orNull(trade.lossBps, percentOfBps),
    maxLossPercent: percentOfBps(trade.maxLossBps),
  };
}
