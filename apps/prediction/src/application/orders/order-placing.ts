import { setTimeout as sleep } from 'node:timers/promises';
import { type Clock, idOf, newId } from '@agent-wallet/kernel';
import { toBookOrder } from '@agent-wallet/kalshi';
import type { Logger } from '@agent-wallet/platform';
import { Once } from './once.js';
import {
  firstSentMs,
  type OrderRefusal,
  type Placed,
  type Placing,
  type PlannedOrder,
} from '../../domain/orders/order-plan.js';
import { GIVEN_UP, NEVER_SENT } from '../../domain/orders/refused-order.js';
import type { Exchange, ExchangeOrder, Placement } from '../../ports/exchange.js';
import type { GivenUpOrders } from '../../ports/given-up-orders.js';
import type { OrderPace } from './pace.js';

/** What one step of placing an order came to. */
export type PlacingStep =
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

interface Parts {
  readonly exchange: Pick<Exchange, 'placeOrder' | 'findOrder' | 'asOfMs'>;
  readonly givenUp: Pick<GivenUpOrders, 'has'>;
  readonly clock: Clock;
  readonly logger: Logger;
  readonly pace: OrderPace;
}

/** An order being placed. */
interface Task {
  readonly operation: OrderingOperation;
  readonly order: PlannedOrder;
  readonly placing: Placing;
  readonly signal: AbortSignal;
}

const REMEMBERED_MS = 10 * 60_000;

/**
 * Places an order once, whatever answers are lost on the way. Its client order id is always the same, and the exchange
 * takes an id once. Whatever may have been sent is in doubt until the exchange shows it, says that it has it, or has
 * refused it twice, so far apart that nothing sent before can still be under way, and shows nothing after that.
 */
export class OrderPlacing {
  /** Tokens of orders that nobody has sent yet. */
  readonly #unsent = new Once(REMEMBERED_MS);

  constructor(private readonly parts: Parts) {}

  /** What is written before an order is sent for the first time. */
  begin(operationId: string): Placing {
    const token = newId();
    this.#unsent.remember(token);
    return { clientOrderId: idOf('order', operationId, 1), token, sinceMs: this.parts.clock.nowMs() };
  }

  /**
   * What is written instead when it is too late to send it. It is looked for all the same: a life that was undone, because
   * the database was put back, may have sent it.
   */
  tooLate(operationId: string): Placing {
    return { ...this.begin(operationId), isInDoubt: true, isLate: true };
  }

  /** One step on from what is written. @throws what reading the exchange throws, or the signal's reason */
  async step(
    operation: OrderingOperation,
    { order, placing }: { readonly order: PlannedOrder; readonly placing: Placing },
    signal: AbortSignal,
  ): Promise<PlacingStep> {
    const task: Task = { operation, order, placing, signal };
    if (placing.isInDoubt) return this.#resolve(task);
    // Somebody else wrote it, and may have sent it.
    if (!this.#unsent.take(placing.token)) return { kind: 'noted', placing: { ...placing, isInDoubt: true } };
    return this.#sendFirst(task);
  }

  async #sendFirst(task: Task): Promise<PlacingStep> {
    const { placing } = task;
    const placement = await this.#send(task);
    switch (placement.kind) {
      case 'accepted':
        return placed(placement);
      case 'rejected':
        return { kind: 'refused', refusal: refusalOf(placement) };
      case 'unsent': {
        const { clock, pace } = this.parts;
        if (clock.nowMs() - placing.sinceMs >= pace.patienceMs) return { kind: 'refused', refusal: NEVER_SENT };
        this.#unsent.remember(placing.token);
        return { kind: 'wait', forMs: pace.lookMs };
      }
      case 'exists':
        return { kind: 'noted', placing: { ...placing, isInDoubt: true, isKnown: true } };
      case 'unknown':
        return { kind: 'noted', placing: { ...placing, isInDoubt: true } };
    }
  }

  /** Looks for it, and sends it again where that shows nothing: the exchange knows the id when it has it. */
  async #resolve(task: Task): Promise<PlacingStep> {
    const { clock, givenUp, pace } = this.parts;
    const { refusal, isKnown, isLate, clientOrderId } = task.placing;
    const leftMs = refusal ? refusal.atMs + pace.quietMs - clock.nowMs() : 0;
    if (leftMs > 0) return { kind: 'wait', forMs: leftMs };
    // Asked before the look: it is given up only when a look that began afterwards shows nothing.
    const isGivenUp = isKnown && (await givenUp.has(clientOrderId));
    const look = await this.#look(task, 2);
    if (look.kind === 'found') return placed(look.order);
    if (look.kind === 'nothing' && isGivenUp) return { kind: 'refused', refusal: GIVEN_UP };
    if (look.kind === 'nothing' && isLate) return { kind: 'refused', refusal: NEVER_SENT };
    if (look.kind === 'unclear' || isKnown) return { kind: 'wait', forMs: pace.lookMs };
    return this.#sendAgain(task);
  }

  async #sendAgain(task: Task): Promise<PlacingStep> {
    const { clock, pace } = this.parts;
    const { refusal, ...placing } = task.placing;
    const placement = await this.#send(task);
    switch (placement.kind) {
      case 'accepted':
        return placed(placement);
      case 'exists':
        return { kind: 'noted', placing: { ...placing, isKnown: true } };
      case 'rejected': {
        const again = refusalOf(placement);
        if (!refusal) return { kind: 'noted', placing: { ...placing, refusal: { ...again, atMs: clock.nowMs() } } };
        const look = await this.#look(task, 1);
        if (look.kind === 'found') return placed(look.order);
        return look.kind === 'nothing' ? { kind: 'refused', refusal: again } : { kind: 'wait', forMs: pace.lookMs };
      }
      case 'unsent':
        return { kind: 'wait', forMs: pace.lookMs };
      case 'unknown':
        // Something may be under way again: an earlier refusal says nothing of it.
        return { kind: 'noted', placing };
    }
  }

  async #send({ operation, order, placing, signal }: Task): Promise<Placement> {
    const { clock, exchange, logger, pace } = this.parts;
    // It keeps its place in the queue until then.
    const leftMs = placing.isInDoubt ? pace.patienceMs : placing.sinceMs + pace.patienceMs - clock.nowMs();
    const turn = AbortSignal.any([signal, AbortSignal.timeout(Math.max(leftMs, 0))]);
    const placement = await exchange.placeOrder(
      { ...bookOrderOf(order), clientOrderId: placing.clientOrderId },
      { agentId: operation.agentId, operationId: operation.id, signal: turn },
    );
    if (placement.kind === 'unknown') {
      logger.warn({ err: placement.cause, operation: operation.id }, 'nobody can say whether an order was taken');
    }
    return placement;
  }

  /**
   * Looks for the order, so often that `clean` looks in a row show nothing although they are complete up to now.
   * @returns unclear when the exchange's reads lag too long
   */
  async #look(
    { order, placing, signal }: Task,
    clean: number,
  ): Promise<
    | { readonly kind: 'found'; readonly order: ExchangeOrder }
    | { readonly kind: 'nothing' }
    | { readonly kind: 'unclear' }
  > {
    const { exchange, clock, pace } = this.parts;
    const { clientOrderId } = placing;
    const fromMs = clock.nowMs();
    const deadlineMs = fromMs + pace.patienceMs;
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
      if (!found && asOfMs > fromMs + pace.marginMs) left -= 1;
      if (left > 0) await sleep(pace.lookMs, undefined, { signal });
    }
    return { kind: 'nothing' };
  }
}

function placed({ orderId, filled }: { readonly orderId: string; readonly filled: bigint }): PlacingStep {
  return { kind: 'placed', placed: { orderId, filled: filled.toString() } };
}

function refusalOf({ code, status }: OrderRefusal): OrderRefusal {
  return { code, status };
}

function bookOrderOf({ ticker, exchangeIndex, action, side, count, limitUsdMicros }: PlannedOrder) {
  const { side: bookSide, priceUsdMicros } = toBookOrder({ action, side, priceUsdMicros: BigInt(limitUsdMicros) });
  return { ticker, exchangeIndex, side: bookSide, count: BigInt(count), priceUsdMicros };
}
