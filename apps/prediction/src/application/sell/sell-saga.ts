import type {
  OperationDescription,
  Saga,
  SagaExplanation,
  SagaInput,
  SagaStep,
  SpendingCheck,
} from '@agent-wallet/operations';
import type { In, OrderRefusal, SellPlan } from '../../domain/orders/order-plan.js';
import type { SellRequest } from '../../domain/orders/order-request.js';
import { isCancelled, rejectedOrder } from '../../domain/orders/rejected-order.js';
import { saleTerms } from '../access/policy-stops.js';
import { firstPayout, type Payouts, type PayoutTerms } from '../moves/payouts.js';
import type { OperationDependencies } from '../operations/dependencies.js';
import { alreadyDone, prepared, refused } from '../operations/prepare.js';
import { describeSell } from '../orders/order-facts.js';
import { explainOrder } from '../orders/explain-order.js';
import { sellCodec } from '../orders/order-codecs.js';
import type { OrderPlacing } from '../orders/order-placing.js';
import { placeOrder } from '../orders/place-order.js';
import { ownerOf, type Posting } from '../orders/posting.js';
import type { PlanSell } from './plan-sell.js';

type Input = SagaInput<SellRequest, SellPlan>;
type Step = SagaStep<SellPlan>;

/** With what a sale is carried out. */
interface SellTools extends Pick<OperationDependencies, 'ledger' | 'clock' | 'timing'> {
  readonly policies: SpendingCheck;
  readonly planSell: PlanSell;
  readonly payouts: Payouts;
  readonly placing: OrderPlacing;
  readonly posting: Posting;
}

const PAYOUT_STEP = 3;
const PAYOUTS = 3;

/**
 * Sells contracts of a position: they are locked with the first step that is written, the order, and the proceeds to the
 * wallet.
 */
export class SellSaga implements Saga<SellRequest, SellPlan> {
  readonly action = 'prediction_sell';
  readonly codec = sellCodec;

  constructor(private readonly tools: SellTools) {}

  describe(request: SellRequest, plan: SellPlan | undefined): OperationDescription {
    return describeSell(request, plan);
  }

  async explain({ plan }: Input): Promise<SagaExplanation> {
    return explainOrder(plan);
  }

  async advance(operation: Input, signal: AbortSignal): Promise<Step> {
    const { plan } = operation;
    switch (plan?.state) {
      case undefined:
        return prepared(() => this.#prepare(operation), signal);
      case 'placing':
        return this.#place(operation, plan, signal);
      case 'posting':
        return this.#post(operation, plan);
      case 'paying':
        return this.#pay(operation, plan, signal);
      case 'beyond_limit':
      case 'done':
        throw alreadyDone(operation);
    }
  }

  async #prepare({ id, agentId, request }: Input): Promise<Step> {
    const { policies, planSell, placing, ledger, posting } = this.tools;
    const { order, isMet } = await planSell.execute(agentId, request, await saleTerms(policies, agentId));
    if (!isMet) return { kind: 'done', state: 'confirmed', plan: { state: 'beyond_limit', order } };
    const owner = ownerOf({ id, agentId });
    const { ticker, side, count } = order;
    return {
      kind: 'on',
      state: 'submitted',
      plan: { state: 'placing', order, placing: placing.begin(id) },
      at: 'locked',
      write: async (tx) => {
        await ledger.lockPosition(tx, owner, { ticker, side, count });
        await posting.recordOpen(tx, owner, order);
      },
      // Another sale, or the market's settlement, was faster.
      otherwise: async (error) => {
        if (error.code === 'MARKET_CLOSED') return refused(error);
        if (error.code !== 'INSUFFICIENT_POSITION') return undefined;
        return refused((await planSell.shortfall(agentId, request)) ?? error);
      },
    };
  }

  #place(operation: Input, plan: In<SellPlan, 'placing'>, signal: AbortSignal): Promise<Step> {
    const { order, placing } = plan;
    return placeOrder<SellPlan, In<SellPlan, 'posting'>>(
      this.tools.placing,
      { operation, order, placing },
      {
        noted: (next) => ({ ...plan, placing: next }),
        placed: (found) => found,
        post: (posting) => this.#post(operation, posting),
        refused: (refusal) => this.#refused(operation, plan, refusal),
      },
      signal,
    );
  }

  /** Ends a sale whose order was refused: nothing was sold and nothing will be. */
  #refused(operation: Input, { order }: In<SellPlan, 'placing'>, refusal: OrderRefusal): Step {
    const { ledger, posting } = this.tools;
    const owner = ownerOf(operation);
    const outcome = isCancelled(refusal)
      ? { state: 'confirmed' as const }
      : { state: 'failed' as const, error: rejectedOrder(refusal, order, {}) };
    return {
      kind: 'done',
      plan: { state: 'done', order, result: { kind: 'rejected', refusal } },
      ...outcome,
      write: async (tx) => {
        await posting.recordRefused(tx, owner, { order, refusal });
        await ledger.unlockPosition(tx, owner);
      },
    };
  }

  async #post(operation: Input, plan: In<SellPlan, 'posting'>): Promise<Step> {
    const { ledger, posting, clock } = this.tools;
    const owner = ownerOf(operation);
    const complete = await posting.complete(owner, plan, 0n);
    if (!complete) return { kind: 'wait', forMs: posting.pauseMs(plan) };
    const { order } = plan;
    const { result } = complete;
    const net = result.posted.totalUsdMicros - result.posted.feeUsdMicros;
    const write: NonNullable<Extract<Step, { kind: 'on' }>['write']> = async (tx) => {
      await complete.write(tx);
      await ledger.unlockPosition(tx, owner);
      if (net > 0n) await ledger.startPayout(tx, owner, PAYOUT_STEP, net);
    };
    if (net <= 0n) return { kind: 'done', state: 'confirmed', plan: { state: 'done', order, result }, write };
    const payout = firstPayout(net, clock.nowMs());
    return { kind: 'on', plan: { state: 'paying', order, result, payout }, publishesEvent: false, at: 'posted', write };
  }

  async #pay(operation: Input, plan: In<SellPlan, 'paying'>, signal: AbortSignal): Promise<Step> {
    const terms: PayoutTerms = { ...ownerOf(operation), step: PAYOUT_STEP, maxAttempts: PAYOUTS };
    const step = await this.tools.payouts.step(terms, plan.payout, signal);
    if (step.kind === 'wait') return step;
    if (step.kind === 'on')
      return { kind: 'on', plan: { ...plan, payout: step.payout }, publishesEvent: false, at: 'paying' };
    const { payout, write } = step;
    return { kind: 'done', state: 'confirmed', plan: { ...plan, state: 'done', payout }, write };
  }
}
