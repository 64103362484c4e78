import type { DatabaseTransaction } from '@agent-wallet/platform';
import { bookedOf } from '../../domain/orders/filled-amounts.js';
import type { Booked, OrderPlan, Placed, Placing } from '../../domain/orders/order-plan.js';
import { outcomeOf } from '../../domain/orders/order-outcome.js';
import type { BookedOperation, BookWriter, OrderRecord, RecordedStatus } from '../../ports/books.js';
import type { Exchange, ExchangeFill } from '../../ports/exchange.js';

interface Parts {
  readonly exchange: Pick<Exchange, 'fills' | 'findOrder'>;
  readonly books: Pick<BookWriter, 'bookFills' | 'recordOrder'>;
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

const SEARCH_BACK_MS = 60_000;

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
    const { order, placed } = plan;
    const fills = placed.filled === '0' ? [] : inOrder(await this.parts.exchange.fills(placed.orderId));
    const shown = fills.reduce((sum, { count }) => sum + count, 0n);
    const filled = shown > BigInt(placed.filled) ? await this.#filledNow(plan) : BigInt(placed.filled);
    if (shown !== filled) return undefined;
    const complete = {
      ...plan,
      placed: { ...placed, filled: filled.toString() },
      booked: bookedOf(order, fills, escrowUsdMicros),
    };
    return { plan: complete, write: (tx) => this.#write(tx, operation, complete, fills) };
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
    plan: OrderPlan & { readonly booked: Booked },
    fills: readonly ExchangeFill[],
  ): Promise<void> {
    const { booked, order } = plan;
    const { ticker, side, action } = order;
    const terms = { ticker, side, action };
    const { totalUsdMicros, feeUsdMicros } = await this.parts.books.bookFills(tx, operation, terms, fills);
    // What is paid next was worked out from it.
    if (BigInt(booked.totalUsdMicros) !== totalUsdMicros || BigInt(booked.feeUsdMicros) !== feeUsdMicros) {
      throw new Error(`the books count ${totalUsdMicros} and ${feeUsdMicros} where the plan says otherwise`);
    }
    await this.parts.books.recordOrder(tx, operation, recordOf(plan, outcomeOf(plan).status!));
  }

  /** What the order itself says. */
  async #filledNow({ order, placed, placing }: PlacedPlan): Promise<bigint | undefined> {
    const { clientOrderId, sinceMs } = placing;
    const wanted = { ticker: order.ticker, clientOrderId, sinceMs: sinceMs - SEARCH_BACK_MS };
    const found = await this.parts.exchange.findOrder(wanted);
    return found?.orderId === placed.orderId ? found.filled : undefined;
  }
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
