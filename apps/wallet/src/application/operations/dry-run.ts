import type { policyV1 } from '@agent-wallet/contracts';
import type { BalanceChange } from '@agent-wallet/kernel';
import { type OperationHandler, type OperationInput, prepareDryRun, wouldFail } from '@agent-wallet/operations';
import { networkFeeLamports, type SolanaChain } from '@agent-wallet/solana';
import type { PolicyCheck } from '../../ports/policy-check.js';

/** The expected result of an operation. */
export interface DryRun {
  readonly decision: policyV1.DryRunAuthorizeResponse;
  /** Network fee, regardless of who pays it. */
  readonly networkFeeLamports: bigint;
  readonly isSponsored: boolean;
  readonly balanceChanges: readonly BalanceChange[];
}

/** A plan, and what it would come to. */
export interface DryRunPlan<Plan> {
  readonly plan: Plan;
  readonly dryRun: DryRun;
}

/** Returns the result of an operation for which nothing is prepared. */
function stoppedDryRun(decision: policyV1.DryRunAuthorizeResponse): DryRun {
  return { decision, networkFeeLamports: 0n, isSponsored: false, balanceChanges: [] };
}

/** The chain's part of a dry run. */
export type SimulatingChain = Pick<SolanaChain, 'simulate'>;

/** Dependencies of a dry run. */
interface DryRunTools<Request, Plan> {
  readonly handler: OperationHandler<Request, Plan>;
  readonly policy: PolicyCheck;
  readonly chain: SimulatingChain;
  /** Stands for the plan of an operation that policy forbids and that could not be planned. */
  readonly planIfStopped?: Plan;
}

/**
 * Prepares an operation as the engine would, asks policy about it, and has a node simulate what policy allows. Nothing is
 * written, here or there.
 * @param changes what the wallet gains and loses by a plan
 * @throws AppError what the operation itself would fail with: before policy is asked, or TRANSACTION_FAILED
 */
export async function dryRunOf<Request, Plan>(
  tools: DryRunTools<Request, Plan>,
  operation: OperationInput<Request>,
  changes: (plan: Plan, networkFeeLamports: bigint) => readonly BalanceChange[],
): Promise<DryRunPlan<Plan>> {
  const prepared = await prepareDryRun(tools.handler, tools.policy, operation);
  if (prepared.kind === 'stopped') {
    const plan = prepared.plan ?? tools.planIfStopped;
    if (plan === undefined) throw prepared.error;
    return { plan, dryRun: stoppedDryRun(prepared.decision) };
  }
  const { plan, intent, message } = prepared;
  const decision = await tools.policy.dryRunAuthorize({ agentId: operation.agentId, intent });
  if (decision.allowed) await simulate(tools.chain, message);
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

/** @throws AppError TRANSACTION_FAILED when the message would land with an error */
async function simulate(chain: SimulatingChain, message: Uint8Array): Promise<void> {
  const { error } = await chain.simulate(message, { accounts: [], replaceBlockhash: true });
  if (error !== null) throw wouldFail('TRANSACTION_FAILED', message, error);
}
