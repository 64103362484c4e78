import type { policyV1 } from '@agent-wallet/contracts';
import { AppError, type BalanceChange, isUuid, newId } from '@agent-wallet/kernel';
import { isAddress } from '@agent-wallet/solana';
import { changesByTrade } from '../domain/balance-changes.js';
import type { TradePlan } from '../domain/trade-plan.js';
import { checkTrade, type TradeRequest } from '../domain/trade-request.js';
import type { PolicyCheck } from '../ports/policy-check.js';
import type { TradeKind } from './trade-kind.js';

/** What a trade would come to. */
export interface TradePreview {
  readonly plan: TradePlan;
  readonly decision: policyV1.CheckResponse;
  /** That the wallet would pay, tips among them. */
  readonly networkLamports: bigint;
  readonly balanceChanges: readonly BalanceChange[];
}

/** Says what a trade would come to, and does nothing. */
export class PreviewTrade {
  constructor(
    private readonly kind: TradeKind,
    private readonly policy: PolicyCheck,
  ) {}

  /** @throws AppError as Trade would; a refusal by policy is in the answer */
  async execute(agentId: string, request: TradeRequest): Promise<TradePreview> {
    if (!isUuid(agentId)) throw new AppError('VALIDATION_ERROR');
    checkTrade(request, isAddress);
    const prepared = await this.kind.prepare({ id: newId(), agentId, request });
    if (prepared.kind !== 'ready') throw prepared.error;
    const { plan, intent } = prepared;
    const decision = await this.policy.check({ agentId, intent });
    const { feeLamports = 0, tipLamports = 0 } = plan.offer ?? {};
    const networkLamports = BigInt(feeLamports) + BigInt(tipLamports);
    return { plan, decision, networkLamports, balanceChanges: changesByTrade(plan) };
  }
}
