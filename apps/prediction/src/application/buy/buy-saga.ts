import { AppError } from '@agent-wallet/kernel';
import {
  type OperationDescription,
  requestedApproval,
  type Saga,
  type SagaExplanation,
  type SagaInput,
  type SagaStep,
  type SpendingCheck,
} from '@agent-wallet/operations';
import {
  type ApprovedBuy,
  type BuyPlan,
  type EndedPayout,
  escrowOrderOf,
  type In,
  type OrderRefusal,
  type OrderResult,
  signatureOfPayout,
} from '../../domain/orders/order-plan.js';
import type { BuyRequest } from '../../domain/orders/order-request.js';
import { isCancelled, rejectedOrder, type ReturnedMoney } from '../../domain/orders/rejected-order.js';
import { unlessStopped } from '../access/policy-stops.js';
import type { MoveFailure, Moves } from '../moves/moves.js';
import { firstPayout, type Payouts, type PayoutTerms } from '../moves/payouts.js';
import type { OperationDependencies } from '../operations/dependencies.js';
import { alreadyDone, prepared } from '../operations/prepare.js';
import { describeBuy } from '../orders/order-facts.js';
import { explainOrder } from '../orders/explain-order.js';
import type { OrderPlacing } from '../orders/order-placing.js';
import { placeOrder } from '../orders/place-order.js';
import { ownerOf, type Posting } from '../orders/posting.js';
import { buyCodec } from '../orders/order-codecs.js';
import type { PlanBuy } from './plan-buy.js';

type Input = SagaInput<BuyRequest, BuyPlan>;
type Step = SagaStep<BuyPlan>;
type Writing = NonNullable<Extract<Step, { kind: 'on' }>['write']>;

/** With what a buy is carried out. */
interface BuyTools extends Pick<OperationDependencies, 'ledger' | 'clock' | 'timing'> {
  readonly policies: SpendingCheck;
  readonly planBuy: PlanBuy;
  readonly moves: Moves;
  readonly payouts: Payouts;
  readonly placing: OrderPlacing;
  readonly posting: Posting;
}

const ESCROW_STEP = 1;
const REFUND_STEP = 3;
const REFUNDS = 3;
const SOON_MS = 250;

/**
 * Buys contracts: USDC of the wallet to the treasury, worst case; the order; what is left back to the wallet. A crash
 * in between leaves the agent's money in an account that is owed to it.
 */
export class BuySaga implements Saga<BuyRequest, BuyPlan> {
  readonly action = 'prediction_buy';
  readonly codec = buyCodec;

  constructor(private readonly tools: BuyTools) {}

  describe(request: BuyRequest, plan: BuyPlan | undefined): OperationDescription {
    return describeBuy(request, plan);
  }

  async explain({ plan }: Input): Promise<SagaExplanation> {
    return explainOrder(plan);
  }

  async advance(operation: Input, signal: AbortSignal): Promise<Step> {
    const { plan } = operation;
    switch (plan?.state) {
      case undefined:
        return prepared(() => this.#prepare(operation), signal);
      case 'awaiting_approval':
        return prepared(() => this.#prepare(operation, plan), signal, plan);
      case 'escrowing':
        return this.#escrow(operation, plan);
      case 'placing':
        return this.#place(operation, plan, signal);
      case 'posting':
        return this.#post(operation, plan);
      case 'refunding':
        return this.#refund(operation, plan, signal);
      case 'escrow_failed':
      case 'beyond_limit':
      case 'done':
        throw alreadyDone(operation);
    }
  }

  async #prepare({ agentId, request }: Input, approved?: ApprovedBuy): Promise<Step> {
    const { policies, planBuy } = this.tools;
    const { plan } = await planBuy.execute(request, approved);
    if (plan.state === 'beyond_limit') {
      // It needs no escrow permit, so policy is asked here.
      return unlessStopped(policies, agentId, async () => ({ kind: 'done', state: 'confirmed', plan }));
    }
    return { kind: 'on', plan, at: 'planned' };
  }

  async #escrow(operation: Input, plan: In<BuyPlan, 'escrowing'>): Promise<Step> {
    const { clock, moves, timing } = this.tools;
    // The book that it was planned with is of the past by then: it must not begin any more.
    const cancelIfNotStarted = clock.nowMs() - plan.order.askedAtMs > timing.timeoutMs;
    const name = { ...ownerOf(operation), step: ESCROW_STEP, attempt: plan.attempt };
    const order = escrowOrderOf(plan);
    const { escrowUsdMicros: amountUsdMicros } = plan;
    const moved = await moves.move(name, { direction: 'escrow', amountUsdMicros, order, cancelIfNotStarted });
    switch (moved.kind) {
      case 'confirmed':
        return this.#escrowed(operation, plan, moved.signature);
      case 'over':
        return endWithoutEscrow(plan, moved.failure, cancelIfNotStarted);
      case 'submitted': {
        const { signature } = moved;
        if (signature === '' || signature === plan.escrowSignature) return { kind: 'wait', forMs: SOON_MS };
        const submitted = { ...plan, escrowSignature: signature };
        return { kind: 'on', state: 'submitted', plan: submitted, at: 'escrow-submitted' };
      }
    }
  }

  #escrowed(operation: Input, plan: In<BuyPlan, 'escrowing'>, escrowSignature: string): Step {
    const { ledger, clock, timing, placing, posting } = this.tools;
    const owner = ownerOf(operation);
    // It was left alone for long, and its price is old.
    const isLate = clock.nowMs() - plan.order.askedAtMs > timing.freshMs;
    return {
      kind: 'on',
      state: 'submitted',
      plan: {
        ...termsOf(plan),
        state: 'placing',
        escrowSignature,
        placing: isLate ? placing.tooLate(operation.id) : placing.begin(operation.id),
      },
      publishesEvent: operation.state === 'pending',
      at: 'escrowed',
      write: async (tx) => {
        await ledger.escrow(tx, owner, plan.escrowUsdMicros);
        await posting.recordOpen(tx, owner, plan.order);
      },
    };
  }

  #place(operation: Input, plan: In<BuyPlan, 'placing'>, signal: AbortSignal): Promise<Step> {
    const { order, placing } = plan;
    return placeOrder<BuyPlan, In<BuyPlan, 'posting'>>(
      this.tools.placing,
      { operation, order, placing },
      {
        noted: (next) => ({ ...plan, placing: next }),
        placed: (found) => ({ ...escrowOf(plan), ...found }),
        post: (posting) => this.#post(operation, posting),
        refused: (refusal) => this.#refused(operation, plan, refusal),
      },
      signal,
    );
  }

  /** Starts the refund of the whole escrow: nothing was bought and nothing will be. */
  #refused(operation: Input, plan: In<BuyPlan, 'placing'>, refusal: OrderRefusal): Step {
    const write: Writing = (tx) => this.tools.posting.recordRefused(tx, ownerOf(operation), { ...plan, refusal });
    const result = { kind: 'rejected', refusal } as const;
    return this.#startRefund(operation, plan, { result, left: plan.escrowUsdMicros, write });
  }

  async #post(operation: Input, plan: In<BuyPlan, 'posting'>): Promise<Step> {
    const { posting } = this.tools;
    const complete = await posting.complete(ownerOf(operation), plan, plan.escrowUsdMicros);
    if (!complete) return { kind: 'wait', forMs: posting.pauseMs(plan) };
    const { result, write } = complete;
    const { totalUsdMicros, feeUsdMicros } = result.posted;
    const left = plan.escrowUsdMicros - totalUsdMicros - feeUsdMicros;
    if (left > 0n) return this.#startRefund(operation, plan, { result, left, write });
    return { kind: 'done', state: 'confirmed', plan: { ...escrowOf(plan), state: 'done', result }, write };
  }

  #startRefund(
    operation: Input,
    plan: In<BuyPlan, 'placing' | 'posting'>,
    { result, left, write }: { readonly result: OrderResult; readonly left: bigint; readonly write: Writing },
  ): Step {
    const payout = firstPayout(left, this.tools.clock.nowMs());
    return {
      kind: 'on',
      plan: { ...escrowOf(plan), state: 'refunding', result, payout },
      publishesEvent: false,
      at: 'posted',
      write: async (tx) => {
        await write(tx);
        await this.tools.ledger.startRefund(tx, ownerOf(operation), REFUND_STEP, left);
      },
    };
  }

  async #refund(operation: Input, plan: In<BuyPlan, 'refunding'>, signal: AbortSignal): Promise<Step> {
    const terms: PayoutTerms = { ...ownerOf(operation), step: REFUND_STEP, maxAttempts: REFUNDS };
    const step = await this.tools.payouts.step(terms, plan.payout, signal);
    if (step.kind === 'wait') return step;
    if (step.kind === 'on') {
      return { kind: 'on', plan: { ...plan, payout: step.payout }, publishesEvent: false, at: 'refunding' };
    }
    const { payout, write } = step;
    const { result } = plan;
    const done = { ...escrowOf(plan), state: 'done' as const, result, payout };
    if (result.kind === 'posted' || isCancelled(result.refusal)) {
      return { kind: 'done', state: 'confirmed', plan: done, write };
    }
    const error = rejectedOrder(result.refusal, plan.order, returnOf(plan.escrowSignature, payout));
    return { kind: 'done', state: 'failed', plan: done, error, write };
  }
}

/** Returns the fields that a buy has from its planning on. */
function termsOf({ order, escrowUsdMicros }: In<BuyPlan, 'escrowing'>) {
  return { order, escrowUsdMicros };
}

/** Returns the fields that a buy has in every state after its escrow. */
function escrowOf({ order, escrowUsdMicros, escrowSignature }: In<BuyPlan, 'placing' | 'posting' | 'refunding'>) {
  return { order, escrowUsdMicros, escrowSignature };
}

/**
 * Ends a buy with the wallet's own error, unless an owner has to approve it first: then it waits, and a later attempt
 * moves the money. Nothing moved.
 */
function endWithoutEscrow(
  plan: In<BuyPlan, 'escrowing'>,
  { state, error }: MoveFailure,
  cancelIfNotStarted: boolean,
): Step {
  const { escrowSignature, attempt } = plan;
  const approval = requestedApproval(error);
  if (approval) return { kind: 'park', plan: { ...termsOf(plan), state: 'awaiting_approval', attempt }, approval };
  const failed = { ...termsOf(plan), state: 'escrow_failed' as const, ...(escrowSignature ? { escrowSignature } : {}) };
  const isForbidden = cancelIfNotStarted && escrowSignature === undefined && error.code === 'TRANSACTION_EXPIRED';
  if (isForbidden) return { kind: 'done', state: 'failed', plan: failed, error: new AppError('SERVICE_UNAVAILABLE') };
  return { kind: 'done', state, plan: failed, error };
}

/** Returns the signatures of a return; without a second one the money is in the prediction balance. */
function returnOf(signature: string, payout: EndedPayout): ReturnedMoney {
  const refundSignature = signatureOfPayout(payout);
  return { signature, ...(refundSignature ? { refundSignature } : {}) };
}
