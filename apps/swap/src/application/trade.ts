import type { policyV1 } from '@agent-wallet/contracts';
import { assertUuid, type BalanceChange, newId } from '@agent-wallet/kernel';
import {
  isAwaitingApproval,
  type OperationEngine,
  type OperationRecord,
  prepareDryRun,
  type RequestedApproval,
} from '@agent-wallet/operations';
import { isAddress } from '@agent-wallet/solana';
import { changesByTrade, checkTrade, type TradePlan, type TradeRequest } from '../domain/trade.js';
import type { PolicyCheck } from '../ports/policy-check.js';
import type { TradeHandler } from './trade-handler.js';

/** Input of a trade. */
interface TradeCall {
  /** UUID: the operation. */
  readonly operationId: string;
  readonly agentId: string;
  readonly request: TradeRequest;
  readonly waitMs: number;
  /** Whether a trade that has not begun never may. */
  readonly cancelIfNotStarted?: boolean;
}

/** A trade that landed or may land, or that waits for an approval. */
export interface TradeResult {
  readonly isConfirmed: boolean;
  /** 64 bytes; undefined while none is known. */
  readonly signature: Uint8Array | undefined;
  readonly request: TradeRequest;
  /** Undefined while the tokens are not resolved. */
  readonly plan: TradePlan | undefined;
  /** Undefined while no message was built. */
  readonly networkFeeLamports: bigint | undefined;
  /** The approval that an owner was asked for, while nothing is signed or reserved; undefined otherwise. */
  readonly approval: RequestedApproval | undefined;
}

/** Trades. */
export class Trade {
  constructor(
    private readonly handler: TradeHandler,
    private readonly engine: Pick<OperationEngine, 'run'>,
  ) {}

  /**
   * Trades once for each operation id, and answers what is known when the wait is over.
   * @throws AppError of any code: nothing moved and nothing will; only TRANSACTION_FAILED and
   *   SLIPPAGE_EXCEEDED may have cost a network fee
   */
  async execute(call: TradeCall): Promise<TradeResult> {
    const { operationId, agentId, request, waitMs, cancelIfNotStarted } = call;
    assertUuid('operationId', operationId);
    assertUuid('agentId', agentId);
    checkTrade(request, isAddress);
    return answerOf(
      await this.engine.run(this.handler, { id: operationId, agentId, request, waitMs, cancelIfNotStarted }),
    );
  }
}

/** Expected result of a trade. */
export interface TradeDryRun {
  readonly request: TradeRequest;
  readonly plan: TradePlan;
  readonly decision: policyV1.DryRunAuthorizeResponse;
  /** Lamports that the wallet or its sponsor would pay, tips included. */
  readonly networkLamports: bigint;
  readonly isSponsored: boolean;
  readonly balanceChanges: readonly BalanceChange[];
}

/** Says what a trade would come to, and does nothing. */
export class DryRunTrade {
  constructor(
    private readonly handler: TradeHandler,
    private readonly policy: PolicyCheck,
  ) {}

  /** @throws AppError as Trade would; a refusal by policy is in the answer */
  async execute(agentId: string, request: TradeRequest): Promise<TradeDryRun> {
    assertUuid('agentId', agentId);
    checkTrade(request, isAddress);
    const prepared = await prepareDryRun(this.handler, this.policy, { id: newId(), agentId, request });
    if (prepared.kind === 'stopped') {
      const { plan, decision, error } = prepared;
      if (plan === undefined) throw error;
      return { request, plan, decision, networkLamports: 0n, isSponsored: false, balanceChanges: [] };
    }
    const { plan, intent } = prepared;
    const decision = await this.policy.dryRunAuthorize({ agentId, intent });
    const { feeLamports = 0n, tipLamports = 0n, sponsor } = plan.offer ?? {};
    const networkLamports = feeLamports + tipLamports;
    const isSponsored = sponsor !== undefined;
    return { request, plan, decision, networkLamports, isSponsored, balanceChanges: changesByTrade(plan) };
  }
}

function answerOf(record: OperationRecord<TradeRequest, TradePlan>): TradeResult {
  const { error, state, attempt, plan, request } = record;
  if (error) throw error;
  const isConfirmed = state === 'confirmed';
  const { signature, networkFeeLamports } = attempt ?? {};
  const approval = isAwaitingApproval(record) ? record.approval : undefined;
  return { isConfirmed, signature, request, plan, networkFeeLamports, approval };
}
