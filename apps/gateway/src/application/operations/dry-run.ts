import type { policyV1, walletV1 } from '@agent-wallet/contracts';
import type { ApiResponse, OperationInput } from '../../ports/idempotency-store.js';
import { type PolicyService, present } from '../../ports/services.js';
import { type ExactJson, textNumber, usdNumber, writeJson } from '../responses/exact-json.js';
import { resetsAt } from '../responses/policy-response.js';
import type { Commanded, DryRunAction } from './operation.js';

/** The limit of the policy that a rule compares a value with. */
const LIMIT_OF_RULE: Readonly<Record<string, (policy: policyV1.Policy) => bigint>> = {
  single_transaction_limit: (policy) => policy.maxSingleTransactionUsdMicros,
  daily_limit: (policy) => policy.dailyLimitUsdMicros,
};

/** A dry run: the response that a command would get, as far as that can be known, with no effect. */
export class DryRun {
  constructor(private readonly policy: Pick<PolicyService, 'policy'>) {}

  /** @throws AppError as the real request would, except for a refusal by policy */
  async evaluate<Input extends OperationInput>(
    action: DryRunAction<Input>,
    command: Commanded<Input>,
  ): Promise<ApiResponse> {
    const { data, dryRun } = await action.dryRun(command);
    const limitOf = LIMIT_OF_RULE[dryRun.decision?.rule ?? ''];
    const limitUsdMicros = limitOf && limitOf(await this.policy.policy(command.agentId));
    const dataJson = writeJson({
      transactionId: null,
      status: 'dry_run',
      transactionStatus: 'dry_run',
      signature: null,
      explorerUrl: null,
      ...data,
      ...dryRunFields(dryRun, limitUsdMicros),
    });
    return { statusCode: 200, message: 'Dry run: nothing was done.', dataJson };
  }
}

/** What a dry run returns beyond the fields of the real response. */
function dryRunFields(dryRun: walletV1.DryRun, limitUsdMicros: bigint | undefined): Record<string, ExactJson> {
  return {
    policy: decisionFields(present(dryRun.decision, 'decision'), limitUsdMicros),
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

/** As a refusal shows it: what is reserved counts as used. */
function decisionFields(decision: policyV1.DryRunAuthorizeResponse, limitUsdMicros: bigint | undefined): ExactJson {
  const usage = present(decision.usage, 'usage');
  return {
    allowed: decision.allowed,
    rule: decision.rule || null,
    limitUsd: limitUsdMicros === undefined ? null : usdNumber(limitUsdMicros),
    usedUsd: usdNumber(usage.settledUsdMicros + usage.reservedUsdMicros),
    reservedUsd: usdNumber(usage.reservedUsdMicros),
    remainingUsd: usdNumber(usage.remainingTodayUsdMicros),
    requestedUsd: decision.valueUsdMicros === undefined ? null : usdNumber(decision.valueUsdMicros),
    maxAllowedNowUsd: usdNumber(usage.maxAllowedNowUsdMicros),
    resetsAt: resetsAt(usage),
  };
}
