import type { policyV1 } from '@agent-wallet/contracts';
import type { BalanceChange } from '@agent-wallet/kernel';
import { type OperationHandler, type OperationInput, prepareAllowed } from '@agent-wallet/operations';
import { networkFeeLamports } from '@agent-wallet/solana';
import type { PolicyCheck } from '../../ports/policy-check.js';

/** What an operation would come to. */
export interface DryRun {
  readonly decision: policyV1.DryRunAuthorizeResponse;
  /** Of any payer. */
  readonly networkFeeLamports: bigint;
  readonly isSponsored: boolean;
  readonly balanceChanges: readonly BalanceChange[];
}

/** A plan, and what it would come to. */
export interface DryRunPlan<Plan> {
  readonly plan: Plan;
  readonly dryRun: DryRun;
}

/**
 * Prepares an operation as the engine would and asks policy about it. Nothing is written, here or there.
 * @param changes what the wallet gains and loses by a plan
 * @throws AppError what the operation itself would fail with before policy is asked
 */
export async function dryRunOf<Request, Plan>(
  tools: { readonly handler: OperationHandler<Request, Plan>; readonly policy: PolicyCheck },
  operation: OperationInput<Request>,
  changes: (plan: Plan, networkFeeLamports: bigint) => readonly BalanceChange[],
): Promise<DryRunPlan<Plan>> {
  const prepared = await prepareAllowed(tools.handler, tools.policy, operation);
  if (prepared.kind !== 'ready') throw prepared.error;
  const { plan, intent, message } = prepared;
  const decision = await tools.policy.dryRunAuthorize({ agentId: operation.agentId, intent });
  const fee = networkFeeLamports(message);
  return {
    plan,
    dryRun: {
      decision,
      networkFeeLamports: fee,
      isSponsored: intent.sponsor !== undefined,
      balanceChanges: changes(plan, fee),
    },
  };
}
