import {
  jsonPlan,
  type OperationDescription,
  type SagaExplanation,
  type SagaInput,
  type SagaKind,
  type SagaStep,
} from '@agent-wallet/operations';
import type { OrderRefusal, PayoutPlan, SellPlan } from '../../domain/orders/order-plan.js';
import type { SellRequest } from '../../domain/orders/order-request.js';
import { isCancelled, refusedOrder } from '../../domain/orders/refused-order.js';
import type { PolicySwitch } from '../../ports/policy-switch.js';
import { behindSwitch } from '../behind-switch.js';
import { firstPayout, type Payouts, type PayoutTerms } from '../moves/payouts.js';
import { type Booking, isPlaced, ownerOf, type PlacedPlan } from '../orders/booking.js';
import { describeSell } from '../orders/describe-order.js';
import { explainOrder } from '../orders/explain-order.js';
import type { OrderPlacing } from '../orders/order-placing.js';
import type { OperationParts } from '../orders/parts.js';
import { placeOrder } from '../orders/place-order.js';
import { prepared, refused } from '../orders/preparing.js';
import type { PlanSell } from './plan-sell.js';

type Input = SagaInput<SellRequest, SellPlan>;
type Step = SagaStep<SellPlan>;

/** With what a sale is carried out. */
export interface SellTools extends Pick<OperationParts, 'books' | 'clock' | 'pace'> {
  readonly policies: PolicySwitch;
  readonly planSell: PlanSell;
  readonly payouts: Payouts;
  readonly placing: OrderPlacing;
  readonly booking: Booking;
}

const PAYOUT_STEP = 3;
const PAYOUTS = 3;

/**
 * Sells contracts of a position: they are locked with the first step that is written, the order, and the proceeds to the
 * wallet.
 */
export class SellKind implements SagaKind<SellRequest, SellPlan> {
  readonly action = 'prediction_sell';
  readonly codec = jsonPlan<SellPlan>();

  constructor(private readonly tools: SellTools) {}

  describe(request: SellRequest, plan: SellPlan | undefined): OperationDescription {
    return describeSell(request, plan);
  }

  async explain({ plan }: Input): Promise<SagaExplanation> {
    return explainOrder(plan);
  }

  /** The first of locking, order, booking and payout that is not written yet. */
  async advance(operation: Input, signal: AbortSignal): Promise<Step> {
    const { plan } = operation;
    if (!plan) return prepared(() => this.#prepare(operation), signal);
    if (plan.payout) return this.#pay(operation, plan, { payout: plan.payout, signal });
    if (isPlaced(plan)) return this.#book(operation, plan);
    return this.#place(operation, plan, signal);
  }

  async #prepare({ id, agentId, request }: Input): Promise<Step> {
    const { policies, planSell, placing, books, booking } = this.tools;
    const { order } = await behindSwitch(policies, agentId, () => planSell.execute(agentId, request));
    const plan: SellPlan = { order, placing: placing.begin(id) };
    const owner = ownerOf({ id, agentId });
    const { ticker, side, count } = order;
    return {
      kind: 'on',
      state: 'submitted',
      plan,
      at: 'locked',
      write: async (tx) => {
        await books.lockPosition(tx, owner, { ticker, side, count: BigInt(count) });
        await booking.recordOpen(tx, owner, plan);
      },
      // Another sale was faster.
      otherwise: (error) => (error.code === 'INSUFFICIENT_POSITION' ? refused(error) : undefined),
    };
  }

  #place(operation: Input, plan: SellPlan, signal: AbortSignal): Promise<Step> {
    const book = (placed: SellPlan & PlacedPlan) => this.#book(operation, placed);
    return placeOrder(
      this.tools.placing,
      { operation, plan, placing: plan.placing },
      { book, refused: (refusal) => this.#refused(operation, plan, refusal) },
      signal,
    );
  }

  /** Nothing was sold and nothing will be. */
  #refused(operation: Input, plan: SellPlan, refusal: OrderRefusal): Step {
    const { books, booking } = this.tools;
    const owner = ownerOf(operation);
    const next = { ...plan, refusal };
    const outcome = isCancelled(refusal)
      ? { state: 'confirmed' as const }
      : { state: 'failed' as const, error: refusedOrder(refusal, {}) };
    return {
      kind: 'done',
      plan: next,
      ...outcome,
      write: async (tx) => {
        await booking.recordRefused(tx, owner, next);
        await books.unlockPosition(tx, owner);
      },
    };
  }

  async #book(operation: Input, plan: SellPlan & PlacedPlan): Promise<Step> {
    const { books, booking, clock } = this.tools;
    const owner = ownerOf(operation);
    const complete = await booking.complete(owner, plan, 0n);
    if (!complete) return { kind: 'wait', forMs: booking.pauseMs(plan) };
    const { booked } = complete.plan;
    const net = BigInt(booked.totalUsdMicros) - BigInt(booked.feeUsdMicros);
    const write: NonNullable<Extract<Step, { kind: 'on' }>['write']> = async (tx) => {
      await complete.write(tx);
      await books.unlockPosition(tx, owner);
      if (net > 0n) await books.beginPayout(tx, owner, PAYOUT_STEP, net);
    };
    if (net <= 0n) return { kind: 'done', state: 'confirmed', plan: complete.plan, write };
    const next = { ...complete.plan, payout: firstPayout(net, clock.nowMs()) };
    return { kind: 'on', plan: next, isTold: false, at: 'booked', write };
  }

  async #pay(
    operation: Input,
    plan: SellPlan,
    { payout, signal }: { readonly payout: PayoutPlan; readonly signal: AbortSignal },
  ): Promise<Step> {
    const terms: PayoutTerms = { ...ownerOf(operation), step: PAYOUT_STEP, maxAttempts: PAYOUTS };
    const step = await this.tools.payouts.step(terms, payout, signal);
    if (step.kind === 'wait') return step;
    const next = { ...plan, payout: step.payout };
    if (step.kind === 'on') return { kind: 'on', plan: next, isTold: false, at: 'paying' };
    return { kind: 'done', state: 'confirmed', plan: next, write: step.write };
  }
}
