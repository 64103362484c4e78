import { AppError } from '@agent-wallet/kernel';
import {
  jsonPlan,
  type OperationDescription,
  type SagaExplanation,
  type SagaInput,
  type SagaKind,
  type SagaStep,
} from '@agent-wallet/operations';
import type { BuyPlan, OrderRefusal, PayoutPlan, Placing } from '../../domain/orders/order-plan.js';
import type { BuyRequest } from '../../domain/orders/order-request.js';
import { isCancelled, refusedOrder } from '../../domain/orders/refused-order.js';
import type { BookedOperation } from '../../ports/books.js';
import type { MoveFailure, Moves } from '../moves/moves.js';
import { firstPayout, type PayoutTerms, type Payouts } from '../moves/payouts.js';
import { type Booking, isPlaced, ownerOf, type PlacedPlan } from '../orders/booking.js';
import { describeBuy } from '../orders/describe-order.js';
import { explainOrder } from '../orders/explain-order.js';
import type { OrderPlacing } from '../orders/order-placing.js';
import type { OperationParts } from '../orders/parts.js';
import { placeOrder } from '../orders/place-order.js';
import { prepared } from '../orders/preparing.js';
import type { PlanBuy } from './plan-buy.js';

type Input = SagaInput<BuyRequest, BuyPlan>;
type Step = SagaStep<BuyPlan>;

/** With what a buy is carried out. */
export interface BuyTools extends Pick<OperationParts, 'books' | 'clock' | 'pace'> {
  readonly planBuy: PlanBuy;
  readonly moves: Moves;
  readonly payouts: Payouts;
  readonly placing: OrderPlacing;
  readonly booking: Booking;
}

const ESCROW_STEP = 1;
const REFUND_STEP = 3;
const REFUNDS = 3;
const SOON_MS = 250;

/**
 * Buys contracts: USDC of the wallet to the treasury, worst case; the order; what is left back to the wallet. Whoever dies
 * in between leaves the agent's money in an account that is owed to it.
 */
export class BuyKind implements SagaKind<BuyRequest, BuyPlan> {
  readonly action = 'prediction_buy';
  readonly codec = jsonPlan<BuyPlan>();

  constructor(private readonly tools: BuyTools) {}

  describe(request: BuyRequest, plan: BuyPlan | undefined): OperationDescription {
    return describeBuy(request, plan);
  }

  async explain({ plan }: Input): Promise<SagaExplanation> {
    return explainOrder(plan);
  }

  /** The first of escrow, order, booking and refund that is not written yet. */
  async advance(operation: Input, signal: AbortSignal): Promise<Step> {
    const { plan } = operation;
    if (!plan) return prepared(() => this.#prepare(operation), signal);
    if (plan.payout) return this.#refund(operation, plan, { payout: plan.payout, signal });
    if (!plan.placing) return this.#escrow(operation, plan);
    if (isPlaced(plan)) return this.#book(operation, plan);
    return this.#place(operation, plan, { placing: plan.placing, signal });
  }

  async #prepare({ request }: Input): Promise<Step> {
    const { plan } = await this.tools.planBuy.execute(request);
    return { kind: 'on', plan, at: 'planned' };
  }

  async #escrow(operation: Input, plan: BuyPlan): Promise<Step> {
    const { clock, moves, pace } = this.tools;
    // The book that it was planned with is of the past by then: it must not begin any more.
    const onlyIfBegun = clock.nowMs() - plan.order.askedAtMs > pace.patienceMs;
    const name = { ...ownerOf(operation), step: ESCROW_STEP, attempt: 1 };
    const amountUsdMicros = BigInt(plan.escrowUsdMicros);
    const moved = await moves.move(name, { direction: 'escrow', amountUsdMicros, onlyIfBegun });
    switch (moved.kind) {
      case 'confirmed':
        return this.#escrowed(operation, { ...plan, escrowSignature: moved.signature });
      case 'over':
        return endWithoutEscrow(plan, moved.failure, onlyIfBegun);
      case 'submitted': {
        const { signature } = moved;
        if (signature === '' || signature === plan.escrowSignature) return { kind: 'wait', forMs: SOON_MS };
        const submitted = { ...plan, escrowSignature: signature };
        return { kind: 'on', state: 'submitted', plan: submitted, at: 'escrow-submitted' };
      }
    }
  }

  #escrowed(operation: Input, plan: BuyPlan): Step {
    const { books, booking, clock, pace, placing } = this.tools;
    const owner = ownerOf(operation);
    // Nobody looked after it for long, and the price is of long ago.
    const isLate = clock.nowMs() - plan.order.askedAtMs > pace.freshMs;
    const escrowed = { ...plan, placing: isLate ? placing.tooLate(operation.id) : placing.begin(operation.id) };
    return {
      kind: 'on',
      state: 'submitted',
      plan: escrowed,
      isTold: operation.state === 'pending',
      at: 'escrowed',
      write: async (tx) => {
        await books.escrow(tx, owner, BigInt(plan.escrowUsdMicros));
        await booking.recordOpen(tx, owner, escrowed);
      },
    };
  }

  #place(
    operation: Input,
    plan: BuyPlan,
    { placing, signal }: { readonly placing: Placing; readonly signal: AbortSignal },
  ): Promise<Step> {
    const book = (placed: BuyPlan & PlacedPlan) => this.#book(operation, placed);
    return placeOrder(
      this.tools.placing,
      { operation, plan, placing },
      { book, refused: (refusal) => this.#refused(operation, plan, refusal) },
      signal,
    );
  }

  /** Nothing was bought and nothing will be: everything goes back. */
  #refused(operation: Input, plan: BuyPlan, refusal: OrderRefusal): Step {
    const { booking } = this.tools;
    const owner = ownerOf(operation);
    const left = BigInt(plan.escrowUsdMicros);
    const next = { ...plan, refusal, payout: firstPayout(left, this.tools.clock.nowMs()) };
    return this.#beginRefund(owner, next, (tx) => booking.recordRefused(tx, owner, next));
  }

  async #book(operation: Input, plan: Parameters<Booking['complete']>[1] & BuyPlan): Promise<Step> {
    const owner = ownerOf(operation);
    const escrow = BigInt(plan.escrowUsdMicros);
    const { booking } = this.tools;
    const complete = await booking.complete(owner, plan, escrow);
    if (!complete) return { kind: 'wait', forMs: booking.pauseMs(plan) };
    const { booked } = complete.plan;
    const left = escrow - BigInt(booked.totalUsdMicros) - BigInt(booked.feeUsdMicros);
    if (left <= 0n) return { kind: 'done', state: 'confirmed', plan: complete.plan, write: complete.write };
    return this.#beginRefund(
      owner,
      { ...complete.plan, payout: firstPayout(left, this.tools.clock.nowMs()) },
      complete.write,
    );
  }

  #beginRefund(
    owner: BookedOperation,
    plan: BuyPlan & Required<Pick<BuyPlan, 'payout'>>,
    before: NonNullable<Extract<Step, { kind: 'on' }>['write']>,
  ): Step {
    const amount = BigInt(plan.payout.amountUsdMicros);
    return {
      kind: 'on',
      plan,
      isTold: false,
      at: 'booked',
      write: async (tx) => {
        await before(tx);
        await this.tools.books.beginRefund(tx, owner, REFUND_STEP, amount);
      },
    };
  }

  async #refund(
    operation: Input,
    plan: BuyPlan,
    { payout, signal }: { readonly payout: PayoutPlan; readonly signal: AbortSignal },
  ): Promise<Step> {
    const terms: PayoutTerms = { ...ownerOf(operation), step: REFUND_STEP, maxAttempts: REFUNDS };
    const step = await this.tools.payouts.step(terms, payout, signal);
    if (step.kind === 'wait') return step;
    const next: BuyPlan = { ...plan, payout: step.payout };
    if (step.kind === 'on') return { kind: 'on', plan: next, isTold: false, at: 'refunding' };
    const { write } = step;
    const { refusal } = plan;
    if (!refusal || isCancelled(refusal)) return { kind: 'done', state: 'confirmed', plan: next, write };
    return { kind: 'done', state: 'failed', plan: next, error: refusedOrder(refusal, returnOf(next)), write };
  }
}

/** The wallet's own word is the answer: nothing moved. */
function endWithoutEscrow(plan: BuyPlan, { state, error }: MoveFailure, onlyIfBegun: boolean): Step {
  const isForbidden = onlyIfBegun && plan.escrowSignature === undefined && state === 'expired';
  if (isForbidden) return { kind: 'done', state: 'failed', plan, error: new AppError('SERVICE_UNAVAILABLE') };
  return { kind: 'done', state, plan, error };
}

/** How everything came back. */
function returnOf({ escrowSignature = '', payout }: BuyPlan): Record<string, string> {
  const signature = escrowSignature;
  if (payout?.isInBalance) return { signature, refundedToBalance: 'true' };
  return { signature, refundSignature: payout?.signature ?? '' };
}
