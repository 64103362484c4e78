import { type Clock, idOf, newId, sleep } from '@agent-wallet/kernel';
import { toBookOrder } from '@agent-wallet/kalshi';
import type { Logger } from '@agent-wallet/platform';
import {
  firstSentMs,
  type In,
  type OrderName,
  type OrderRefusal,
  type Placed,
  type Placing,
  type PlannedOrder,
} from '../../domain/orders/order-plan.js';
import { GIVEN_UP, NEVER_SENT } from '../../domain/orders/rejected-order.js';
import type { Exchange, ExchangeOrder, Placement } from '../../ports/exchange.js';
import type { AbandonedOrderStore } from '../../ports/abandoned-order-store.js';
import type { OrderTiming } from '../operations/dependencies.js';

/** The result of one step of placing an order. */
type PlacingStep =
  /** The exchange has it; it is over, because it was immediate-or-cancel. */
  | { readonly kind: 'placed'; readonly placed: Placed }
  /** It is known not to be at the exchange, and never to come there. */
  | { readonly kind: 'refused'; readonly refusal: OrderRefusal }
  /** This is to be written before anything else is done. */
  | { readonly kind: 'noted'; readonly placing: Placing }
  | { readonly kind: 'wait'; readonly forMs: number };

/** Whose order it is. */
export interface OrderingOperation {
  readonly id: string;
  readonly agentId: string;
}

interface Dependencies {
  readonly exchange: Pick<Exchange, 'placeOrder' | 'findOrder' | 'asOfMs'>;
  readonly abandoned: Pick<AbandonedOrderStore, 'has'>;
  readonly clock: Clock;
  readonly logger: Logger;
  readonly timing: OrderTiming;
}

/** An order being placed. */
interface Task<Current extends Placing = Placing> {
  readonly operation: OrderingOperation;
  readonly order: PlannedOrder;
  readonly placing: Current;
  readonly signal: AbortSignal;
}

/** An order that may have been sent, and may be sent again. */
type Unconfirmed = In<Placing, 'unconfirmed' | 'rejected_pending_proof'>;

const REMEMBERED_MS = 10 * 60_000;

/**
 * Places an order once, even when answers are lost on the way. Its client order id is always the same, and the exchange
 * takes an id once. What may have been sent stays unconfirmed until the exchange shows it, says that it has it, or has
 * refused it twice, so far apart that nothing sent before can still be under way, and shows nothing after that.
 */
export class OrderPlacing {
  /** Tokens of orders that are not sent yet. */
  readonly #unsent = new SingleUseTokens(REMEMBERED_MS);

  constructor(private readonly dependencies: Dependencies) {}

  /** Returns the state to write before an order is sent for the first time. */
  begin(operationId: string): In<Placing, 'sending'> {
    const token = newId();
    this.#unsent.remember(token);
    return { state: 'sending', ...this.#nameOf(operationId), token };
  }

  /**
   * Returns the state to write when it is too late to send the order. The order is still searched for: a run that a
   * database restore undid may have sent it.
   */
  tooLate(operationId: string): In<Placing, 'too_late'> {
    return { state: 'too_late', ...this.#nameOf(operationId) };
  }

  #nameOf(operationId: string): OrderName {
    return { clientOrderId: idOf('order', operationId, 1), sinceMs: this.dependencies.clock.nowMs() };
  }

  /**
   * Takes an order one step on from its written state.
   * @throws what reading the exchange throws, or the signal's reason
   */
  async step(
    operation: OrderingOperation,
    { order, placing }: { readonly order: PlannedOrder; readonly placing: Placing },
    signal: AbortSignal,
  ): Promise<PlacingStep> {
    const task = { operation, order, signal };
    switch (placing.state) {
      case 'sending':
        return this.#sendFirst({ ...task, placing });
      case 'unconfirmed':
        return this.#resolve({ ...task, placing });
      case 'rejected_pending_proof':
        return this.#prove({ ...task, placing });
      case 'acknowledged':
        return this.#awaitAcknowledged({ ...task, placing });
      case 'too_late':
        return this.#awaitLate({ ...task, placing });
    }
  }

  async #sendFirst(task: Task<In<Placing, 'sending'>>): Promise<PlacingStep> {
    const { token, sinceMs } = task.placing;
    const { clock, timing } = this.dependencies;
    // Another process wrote it, and may have sent it.
    if (!this.#unsent.take(token)) return noted('unconfirmed', task);
    // It keeps its place in the queue until then.
    const placement = await this.#send(task, sinceMs + timing.timeoutMs - clock.nowMs());
    switch (placement.kind) {
      case 'accepted':
        return placed(placement);
      case 'rejected':
        return { kind: 'refused', refusal: refusalOf(placement) };
      case 'unsent':
        if (clock.nowMs() - sinceMs >= timing.timeoutMs) return { kind: 'refused', refusal: NEVER_SENT };
        this.#unsent.remember(token);
        return { kind: 'wait', forMs: timing.pollIntervalMs };
      case 'exists':
        return noted('acknowledged', task);
      case 'unknown':
        return noted('unconfirmed', task);
    }
  }

  /** Looks for it, and sends it again where that shows nothing: the exchange knows the id when it has it. */
  async #resolve(task: Task<Unconfirmed>): Promise<PlacingStep> {
    const { pollIntervalMs } = this.dependencies.timing;
    const look = await this.#poll(task, 2);
    if (look.kind === 'found') return placed(look.order);
    if (look.kind === 'unclear') return { kind: 'wait', forMs: pollIntervalMs };
    const placement = await this.#send(task, this.dependencies.timing.timeoutMs);
    switch (placement.kind) {
      case 'accepted':
        return placed(placement);
      case 'exists':
        return noted('acknowledged', task);
      case 'rejected':
        return this.#refusedAgain(task, refusalOf(placement));
      case 'unsent':
        return { kind: 'wait', forMs: pollIntervalMs };
      case 'unknown':
        // Something may be under way again: an earlier refusal says nothing of it.
        return noted('unconfirmed', task);
    }
  }

  /** Writes down the first refusal. A second one counts when the exchange shows no order after it. */
  async #refusedAgain(task: Task<Unconfirmed>, refusal: OrderRefusal): Promise<PlacingStep> {
    const { clock, timing } = this.dependencies;
    if (task.placing.state === 'unconfirmed') {
      const state = 'rejected_pending_proof' as const;
      return { kind: 'noted', placing: { ...nameOf(task), state, refusal, refusedAtMs: clock.nowMs() } };
    }
    const look = await this.#poll(task, 1);
    if (look.kind === 'found') return placed(look.order);
    return look.kind === 'nothing' ? { kind: 'refused', refusal } : { kind: 'wait', forMs: timing.pollIntervalMs };
  }

  /** Waits until nothing that was sent before the refusal can still be under way. */
  async #prove(task: Task<In<Placing, 'rejected_pending_proof'>>): Promise<PlacingStep> {
    const { clock, timing } = this.dependencies;
    const leftMs = task.placing.refusedAtMs + timing.quietMs - clock.nowMs();
    return leftMs > 0 ? { kind: 'wait', forMs: leftMs } : this.#resolve(task);
  }

  async #awaitAcknowledged(task: Task<In<Placing, 'acknowledged'>>): Promise<PlacingStep> {
    const { abandoned, timing } = this.dependencies;
    // Read before the poll: an order is abandoned only when a poll that started afterwards shows nothing.
    const isAbandoned = await abandoned.has(task.placing.clientOrderId);
    const look = await this.#poll(task, 2);
    if (look.kind === 'found') return placed(look.order);
    if (look.kind === 'nothing' && isAbandoned) return { kind: 'refused', refusal: GIVEN_UP };
    return { kind: 'wait', forMs: timing.pollIntervalMs };
  }

  async #awaitLate(task: Task<In<Placing, 'too_late'>>): Promise<PlacingStep> {
    const look = await this.#poll(task, 2);
    if (look.kind === 'found') return placed(look.order);
    if (look.kind === 'nothing') return { kind: 'refused', refusal: NEVER_SENT };
    return { kind: 'wait', forMs: this.dependencies.timing.pollIntervalMs };
  }

  /** @param leftMs how long it may wait for its turn */
  async #send({ operation, order, placing, signal }: Task, leftMs: number): Promise<Placement> {
    const { exchange, logger } = this.dependencies;
    const turn = AbortSignal.any([signal, AbortSignal.timeout(Math.max(leftMs, 0))]);
    const placement = await exchange.placeOrder(
      { ...bookOrderOf(order), clientOrderId: placing.clientOrderId },
      { agentId: operation.agentId, operationId: operation.id, signal: turn },
    );
    if (placement.kind === 'unknown') {
      const fields = { event: 'order.outcome_unknown', operationId: operation.id, err: placement.cause } as const;
      logger.warn(fields, 'Order outcome unknown; querying the exchange');
    }
    return placement;
  }

  /**
   * Looks for the order, so often that `clean` looks in a row show nothing although they are complete up to now.
   * @returns unclear when the exchange's reads lag too long
   */
  async #poll(
    { order, placing, signal }: Task,
    clean: number,
  ): Promise<
    | { readonly kind: 'found'; readonly order: ExchangeOrder }
    | { readonly kind: 'nothing' }
    | { readonly kind: 'unclear' }
  > {
    const { exchange, clock, timing } = this.dependencies;
    const { clientOrderId } = placing;
    const fromMs = clock.nowMs();
    const deadlineMs = fromMs + timing.timeoutMs;
    for (let left = clean; left > 0;) {
      if (clock.nowMs() > deadlineMs) return { kind: 'unclear' };
      // Asked first: what is read after it is at least as complete.
      const asOfMs = await exchange.asOfMs();
      const found = await exchange.findOrder({
        ticker: order.ticker,
        clientOrderId,
        sinceMs: firstSentMs(order),
      });
      if (found && found.status !== 'resting') return { kind: 'found', order: found };
      if (!found && asOfMs > fromMs + timing.marginMs) left -= 1;
      if (left > 0) await sleep(timing.pollIntervalMs, signal);
    }
    return { kind: 'nothing' };
  }
}

function placed({ orderId, filled }: Placed): PlacingStep {
  return { kind: 'placed', placed: { orderId, filled } };
}

function noted(state: 'unconfirmed' | 'acknowledged', task: Task): PlacingStep {
  return { kind: 'noted', placing: { state, ...nameOf(task) } };
}

function nameOf({ placing: { clientOrderId, sinceMs } }: Task): OrderName {
  return { clientOrderId, sinceMs };
}

function refusalOf({ code, status }: OrderRefusal): OrderRefusal {
  return { code, status };
}

function bookOrderOf({ ticker, exchangeIndex, action, side, count, limitUsdMicros }: PlannedOrder) {
  const { side: bookSide, priceUsdMicros } = toBookOrder({ action, side, priceUsdMicros: limitUsdMicros });
  return { ticker, exchangeIndex, side: bookSide, count, priceUsdMicros };
}

/**
 * Tokens that this process has written and not used yet. Each can be taken once, so a token in a row that another process
 * wrote, or that was already used, is refused.
 */
class SingleUseTokens {
  readonly #untilMs = new Map<string, number>();

  /** @param keepMs how long something is remembered; shorter than a lease, where another owner would leave no trace */
  constructor(private readonly keepMs: number) {}

  remember(key: string): void {
    const nowMs = performance.now();
    for (const [old, untilMs] of this.#untilMs) {
      if (untilMs > nowMs) break;
      this.#untilMs.delete(old);
    }
    this.#untilMs.delete(key);
    this.#untilMs.set(key, nowMs + this.keepMs);
  }

  /** Reports whether a key was remembered, and forgets it. */
  take(key: string): boolean {
    const untilMs = this.#untilMs.get(key);
    this.#untilMs.delete(key);
    return untilMs !== undefined && untilMs > performance.now();
  }
}
