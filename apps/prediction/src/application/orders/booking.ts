import type { Clock } from '@agent-wallet/kernel';
import type { DatabaseTransaction } from '@agent-wallet/platform';
import { bookedOf } from '../../domain/orders/filled-amounts.js';
import { type Booked, firstSentMs, type OrderPlan, type Placed, type Placing } from '../../domain/orders/order-plan.js';
import { outcomeOf } from '../../domain/orders/order-outcome.js';
import type { BookedOperation, BookWriter, OrderRecord, RecordedStatus } from '../../ports/books.js';
import type { Exchange, ExchangeFill } from '../../ports/exchange.js';
import type { OrderPace } from './pace.js';

interface Parts {
  readonly exchange: Pick<Exchange, 'fills' | 'findOrder'>;
  readonly books: Pick<BookWriter, 'bookFills' | 'recordOrder'>;
  readonly clock: Clock;
  readonly pace: Pick<OrderPace, 'lookMs'>;
}

/** An order that the exchange has taken. */
export type PlacedPlan = OrderPlan & { readonly placed: Placed; readonly placing: Placing };

/** Whether the exchange has taken the order. */
export function isPlaced<Plan extends OrderPlan>(plan: Plan): plan is Plan & PlacedPlan {
  return plan.placing !== undefined && plan.placed !== undefined;
}

/** As the books know an operation. */
export function ownerOf({ id, agentId }: { readonly id: string; readonly agentId: string }): BookedOperation {
  return { operationId: id, agentId };
}

/** An order whose fills are all known. */
export interface CompleteOrder<Plan> {
  /** With what was booked. */
  readonly plan: Plan & { readonly placed: Placed; readonly booked: Booked };
  /** Books the fills, first of all that its transaction does. */
  readonly write: (tx: DatabaseTransaction) => Promise<void>;
}

/** An order is looked at again when it is this part older, and after so long at the latest. */
const AGES_TO_A_LOOK = 8;
const MAX_PAUSE_MS = 10_000;

/** Books orders from their fills, which may be shown later than the order. */
export class Booking {
  constructor(private readonly parts: Parts) {}

  /**
   * Undefined while the exchange does not show all of the fills.
   * @param escrowUsdMicros what a buy may cost; 0 of a sale
   * @throws what its reads throw; Error when it shows what was not ordered
   */
  async complete<Plan extends PlacedPlan>(
    operation: BookedOperation,
    plan: Plan,
    escrowUsdMicros: bigint,
  ): Promise<CompleteOrder<Plan> | undefined> {
    const said = await this.#look(plan.placed);
    const look = said.isWhole ? said : await this.#lookAgain(plan);
    if (!look?.isWhole) return undefined;
    const { placed, fills } = look;
    const complete = { ...plan, placed, booked: bookedOf(plan.order, fills, escrowUsdMicros) };
    return { plan: complete, write: (tx) => this.#write(tx, operation, complete, fills) };
  }

  /** How long to wait until an order whose fills are not all shown is looked at again: the older, the longer. */
  pauseMs({ placing }: PlacedPlan): number {
    const { clock, pace } = this.parts;
    const ageMs = clock.nowMs() - placing.sinceMs;
    return Math.max(pace.lookMs, Math.min(Math.floor(ageMs / AGES_TO_A_LOOK), MAX_PAUSE_MS));
  }

  /** Says that an order may be on its way, before it is. */
  recordOpen(tx: DatabaseTransaction, operation: BookedOperation, plan: OrderPlan): Promise<void> {
    return this.parts.books.recordOrder(tx, operation, recordOf(plan, 'open'));
  }

  /** Says that an order never came to the exchange. */
  recordRefused(tx: DatabaseTransaction, operation: BookedOperation, plan: OrderPlan): Promise<void> {
    return this.parts.books.recordOrder(tx, operation, recordOf(plan, 'rejected'));
  }

  async #write(
    tx: DatabaseTransaction,
    operation: BookedOperation,
    plan: OrderPlan & { readonly placed: Placed; readonly booked: Booked },
    fills: readonly ExchangeFill[],
  ): Promise<void> {
    const { booked, order, placed } = plan;
    const { ticker, side, action } = order;
    const taken = { ticker, side, action, orderId: placed.orderId };
    const { totalUsdMicros, feeUsdMicros } = await this.parts.books.bookFills(tx, operation, taken, fills);
    // What is paid next was worked out from it.
    if (BigInt(booked.totalUsdMicros) !== totalUsdMicros || BigInt(booked.feeUsdMicros) !== feeUsdMicros) {
      throw new Error(`the books count ${totalUsdMicros} and ${feeUsdMicros} where the plan says otherwise`);
    }
    await this.parts.books.recordOrder(tx, operation, recordOf(plan, outcomeOf(plan).status!));
  }

  /** The fills of an order, and whether they are as many as are said to be. */
  async #look(placed: Placed): Promise<Look> {
    const fills = placed.filled === '0' ? [] : inOrder(await this.parts.exchange.fills(placed.orderId));
    const shown = fills.reduce((sum, { count }) => sum + count, 0n);
    return { placed, fills, isWhole: shown === BigInt(placed.filled) };
  }

  /** The same by what the order itself says, in case that what was answered when it was taken is not true. */
  async #lookAgain({ order, placing }: PlacedPlan): Promise<Look | undefined> {
    const wanted = { ticker: order.ticker, clientOrderId: placing.clientOrderId, sinceMs: firstSentMs(order) };
    const found = await this.parts.exchange.findOrder(wanted);
    if (!found || found.status === 'resting') return undefined;
    return this.#look({ orderId: found.orderId, filled: found.filled.toString() });
  }
}

/** What the exchange shows of an order. */
interface Look {
  readonly placed: Placed;
  readonly fills: readonly ExchangeFill[];
  readonly isWhole: boolean;
}

/** Each once, as the books take them: pages of the exchange may overlap. */
function inOrder(fills: readonly ExchangeFill[]): readonly ExchangeFill[] {
  const byId = new Map(fills.map((fill) => [fill.fillId, fill]));
  return [...byId.values()].sort((a, b) => a.atMs - b.atMs || (a.fillId < b.fillId ? -1 : 1));
}

function recordOf(plan: OrderPlan, status: RecordedStatus): OrderRecord {
  const { ticker, eventTicker, side, action, count, askedAtMs } = plan.order;
  const { orderId, filled, totalUsdMicros, feeUsdMicros, filledAtMs } = outcomeOf(plan);
  return {
    ...{ ticker, eventTicker, side, action, orderId, filled, totalUsdMicros, feeUsdMicros, status, filledAtMs },
    ...{ count: BigInt(count), createdAtMs: askedAtMs },
  };
}
