import type { policyV1, swapV1 } from '@agent-wallet/contracts';
import { assertUuid, type BalanceChange, newId } from '@agent-wallet/kernel';
import {
  isAwaitingApproval,
  type OperationEngine,
  type OperationHandler,
  prepareDryRun,
  type RequestedApproval,
} from '@agent-wallet/operations';
import { changesByLiquidity, type LiquidityPlan, type RemoveRequest } from '../../domain/liquidity/liquidity.js';
import type { PolicyCheck } from '../../ports/policy-check.js';
import { type LiquidityActionName, liquidityFacts } from './liquidity-plans.js';

/** The part of a request that both actions have. */
type LiquidityRequest = Pick<RemoveRequest, 'pool' | 'slippageBps'>;

/** Input of an addition or a removal. */
interface LiquidityCall<Request> {
  /** UUID: the operation. */
  readonly operationId: string;
  readonly agentId: string;
  readonly request: Request;
  readonly waitMs: number;
  /** Whether an operation that has not begun never may. */
  readonly cancelIfNotStarted?: boolean;
}

/** An addition or a removal that landed or may land, or that waits for an approval. */
export interface LiquidityResult {
  readonly isConfirmed: boolean;
  /** 64 bytes; undefined while none is known. */
  readonly signature: Uint8Array | undefined;
  readonly facts: swapV1.LiquidityFacts;
  /** Undefined while no message was built. */
  readonly networkFeeLamports: bigint | undefined;
  /** The approval that an owner was asked for, while nothing is signed or reserved; undefined otherwise. */
  readonly approval: RequestedApproval | undefined;
}

/** Expected result of an addition or a removal. */
export interface LiquidityDryRun {
  readonly facts: swapV1.LiquidityFacts;
  readonly decision: policyV1.DryRunAuthorizeResponse;
  /** Lamports that the wallet would pay the network. */
  readonly networkLamports: bigint;
  readonly balanceChanges: readonly BalanceChange[];
}

/** An action of liquidity: its handler, and the check of what can be refused without asking anyone. */
interface LiquidityAction<Request extends LiquidityRequest> {
  readonly handler: OperationHandler<Request, LiquidityPlan> & { readonly action: LiquidityActionName };
  readonly check: (request: Request) => void;
  /** 1 when liquidity tokens come in, -1 when they leave. */
  readonly direction: 1n | -1n;
}

/** Carries out one of the two actions of liquidity. */
export class ProvideLiquidity<Request extends LiquidityRequest> {
  constructor(
    private readonly action: LiquidityAction<Request>,
    private readonly engine: Pick<OperationEngine, 'run'>,
    private readonly policy: PolicyCheck,
  ) {}

  /**
   * Carries the action out once for each operation id, and answers what is known when the wait is over.
   * @throws AppError of any code: nothing moved and nothing will; only TRANSACTION_FAILED, SLIPPAGE_EXCEEDED and
   *   POOL_PAUSED may have cost a network fee
   */
  async execute(call: LiquidityCall<Request>): Promise<LiquidityResult> {
    const { operationId, agentId, request, waitMs, cancelIfNotStarted } = call;
    assertUuid('operationId', operationId);
    assertUuid('agentId', agentId);
    this.action.check(request);
    const input = { id: operationId, agentId, request, waitMs, cancelIfNotStarted };
    const done = await this.engine.run(this.action.handler, input);
    if (done.error) throw done.error;
    const { signature, networkFeeLamports } = done.attempt ?? {};
    const approval = isAwaitingApproval(done) ? done.approval : undefined;
    const isConfirmed = done.state === 'confirmed';
    return {
      isConfirmed,
      signature,
      facts: liquidityFacts(this.action.handler.action, request, done.plan),
      networkFeeLamports,
      approval,
    };
  }

  /** Says what the action would come to, and does nothing. @throws AppError as it would; a refusal by policy is in the answer */
  async dryRun(agentId: string, request: Request): Promise<LiquidityDryRun> {
    const { handler, check, direction } = this.action;
    assertUuid('agentId', agentId);
    check(request);
    const prepared = await prepareDryRun(handler, this.policy, { id: newId(), agentId, request });
    if (prepared.kind === 'stopped') {
      const { plan, decision, error } = prepared;
      if (plan === undefined) throw error;
      return {
        facts: liquidityFacts(handler.action, request, plan),
        decision,
        networkLamports: plan.feeLamports,
        balanceChanges: [],
      };
    }
    const { plan, intent } = prepared;
    const decision = await this.policy.dryRunAuthorize({ agentId, intent });
    const facts = liquidityFacts(handler.action, request, plan);
    const balanceChanges = changesByLiquidity(plan, direction);
    return { facts, decision, networkLamports: plan.feeLamports, balanceChanges };
  }
}
