import type { walletV1 } from '@agent-wallet/contracts';
import { AppError, assertUuid } from '@agent-wallet/kernel';
import { type StopCheck, stoppedDecision } from '@agent-wallet/operations';
import { toAppError } from '@agent-wallet/platform';
import type { OrderOutcome } from '../../domain/orders/order-outcome.js';
import { escrowOrderOf, type PlannedOrder } from '../../domain/orders/order-plan.js';
import { type BuyRequest, checkBuy, checkSell, type SellRequest } from '../../domain/orders/order-request.js';
import type { Wallet } from '../../ports/wallet.js';
import type { PlanBuy } from '../buy/plan-buy.js';
import { type SaleTerms, saleTerms, stopOf } from '../access/policy-stops.js';
import { USDC } from '../orders/usdc-price.js';
import type { PlanSell } from '../sell/plan-sell.js';
import { simulateOrder } from './simulate-order.js';

/** The outcome that an order would have now. */
export interface OrderDryRun {
  readonly order: OrderOutcome;
  readonly eventTicker: string;
  readonly askedAtMs: number;
  /** The part of the escrow that would be refunded; 0 for a sale. */
  readonly refundedUsdMicros: bigint;
  readonly dryRun: walletV1.DryRun;
}

interface Dependencies {
  readonly planBuy: PlanBuy;
  readonly planSell: PlanSell;
  readonly wallet: Pick<Wallet, 'dryRunMove'>;
  readonly policies: StopCheck;
}

/** The rule of policy that refuses the payout of a sale, and not the sale: the proceeds stay in the prediction balance. */
const TREASURY_MOVES = 'treasury_moves_per_day';

/** An order that moves nothing to or from the wallet, and what stops the agent. */
interface Unmoved {
  readonly planned: PlannedOrder;
  readonly order: OrderOutcome;
  readonly stop: AppError | undefined;
}

/** Says what orders would come to, and does nothing. */
export class DryRunOrder {
  constructor(private readonly dependencies: Dependencies) {}

  /** @throws AppError as Buy would; a refusal by policy is in the answer */
  async buy(agentId: string, request: BuyRequest): Promise<OrderDryRun> {
    assertUuid('agentId', agentId);
    checkBuy(request);
    const { plan, look, levels } = await this.dependencies.planBuy.execute(request);
    const order = simulateOrder(plan.order, levels, look.fees);
    if (plan.state === 'beyond_limit') {
      const stop = await this.#stopOf(agentId);
      return this.#unmoved(agentId, { planned: plan.order, order, stop });
    }
    const escrow = plan.escrowUsdMicros;
    const dryRun = await this.#dryRunMove(agentId, {
      $case: 'escrow',
      value: { amount: escrow, order: escrowOrderOf(plan) },
    });
    const spent = order.totalUsdMicros + order.feeUsdMicros;
    return {
      order,
      eventTicker: plan.order.eventTicker,
      askedAtMs: plan.order.askedAtMs,
      refundedUsdMicros: escrow - spent,
      dryRun: { ...dryRun, balanceChanges: withUsdc(dryRun, { amount: spent, isDebit: true }) },
    };
  }

  /** @throws AppError as Sell would; a refusal by policy is in the answer */
  async sell(agentId: string, request: SellRequest): Promise<OrderDryRun> {
    assertUuid('agentId', agentId);
    checkSell(request);
    const { planSell } = this.dependencies;
    const terms = await this.#saleTerms(agentId);
    const stop = terms instanceof AppError ? terms : undefined;
    const planned = await (
      terms instanceof AppError ? planSell.quote(request, {}) : planSell.execute(agentId, request, terms)
    ).catch((error: unknown) => {
      throw toAppError(error);
    });
    const order = simulateOrder(planned.order, planned.levels, planned.look.fees);
    if (stop || !planned.isMet) return this.#unmoved(agentId, { planned: planned.order, order, stop });
    const net = order.totalUsdMicros - order.feeUsdMicros;
    const amount = net > 0n ? net : 1n;
    const dryRun = await this.#dryRunMove(agentId, { $case: 'payout', value: { amount } });
    if (dryRun.decision?.rule === TREASURY_MOVES) {
      return this.#unmoved(agentId, { planned: planned.order, order, stop: undefined });
    }
    return {
      order,
      eventTicker: planned.order.eventTicker,
      askedAtMs: planned.order.askedAtMs,
      refundedUsdMicros: 0n,
      dryRun: {
        ...dryRun,
        balanceChanges: withUsdc(dryRun, { amount: net > 0n ? net : 0n, isDebit: false }),
      },
    };
  }

  /**
   * Returns the dry run of an order that moves nothing to or from the wallet: no offer meets its limit, a freeze or the
   * switch forbids it, or the proceeds stay in the prediction balance.
   */
  async #unmoved(agentId: string, { planned, order, stop }: Unmoved): Promise<OrderDryRun> {
    const { eventTicker, askedAtMs } = planned;
    const usage = await this.dependencies.policies.getUsage({ agentId }).catch((error: unknown) => {
      throw toAppError(error);
    });
    const decision = stop ? stoppedDecision(stop, usage) : { allowed: true, rule: '', valueUsdMicros: 0n, usage };
    return {
      order,
      eventTicker,
      askedAtMs,
      refundedUsdMicros: 0n,
      dryRun: {
        decision,
        networkFeeLamports: 0n,
        sponsored: false,
        balanceChanges: [],
      },
    };
  }

  #stopOf(agentId: string): Promise<AppError | undefined> {
    return stopOf(this.dependencies.policies, agentId).catch((error: unknown) => {
      throw toAppError(error);
    });
  }

  /** Returns the terms of a sale, or the rule that stops it. */
  async #saleTerms(agentId: string): Promise<SaleTerms | AppError> {
    return saleTerms(this.dependencies.policies, agentId).catch((error: unknown) => {
      if (error instanceof AppError && error.code === 'POLICY_VIOLATION') return error;
      throw toAppError(error);
    });
  }

  async #dryRunMove(agentId: string, move: walletV1.DryRunMoveRequest['move']): Promise<walletV1.DryRun> {
    const { dryRun } = await this.dependencies.wallet.dryRunMove({ agentId, move }).catch((error: unknown) => {
      throw toAppError(error);
    });
    if (!dryRun) throw new AppError('INTERNAL_ERROR', { cause: new Error('the dry run of a move is empty') });
    return dryRun;
  }
}

/** Replaces the change of USDC in the wallet's changes with the net one. */
function withUsdc(
  { balanceChanges }: walletV1.DryRun,
  { amount, isDebit }: Pick<walletV1.BalanceChange, 'amount' | 'isDebit'>,
): walletV1.BalanceChange[] {
  const others = balanceChanges.filter(({ mint }) => mint !== USDC.mint);
  return amount === 0n
    ? others
    : [{ mint: USDC.mint, symbol: USDC.symbol, decimals: USDC.decimals, amount, isDebit }, ...others];
}
