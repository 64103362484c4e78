import type { Clock } from '@agent-wallet/kernel';
import type { DatabaseTransaction } from '@agent-wallet/platform';
import { postedOf } from '../../domain/orders/filled-amounts.js';
import {
  firstSentMs,
  type OrderRefusal,
  type OrderResult,
  type Placed,
  type PlannedOrder,
  type PostingOrder,
} from '../../domain/orders/order-plan.js';
import { NO_OUTCOME, type OrderOutcome, outcomeOfResult } from '../../domain/orders/order-outcome.js';
import type { LedgerOperation, LedgerWriter, OrderRecord, RecordedStatus } from '../../ports/ledger-store.js';
import type { Exchange, ExchangeFill } from '../../ports/exchange.js';
import type { OrderTiming } from '../operations/dependencies.js';

interface Dependencies {
  readonly exchange: Pick<Exchange, 'fills' | 'findOrder'>;
  readonly ledger: Pick<LedgerWriter, 'postFills' | 'recordOrder'>;
  readonly clock: Clock;
  readonly timing: Pick<OrderTiming, 'pollIntervalMs'>;
}

/** Returns an operation as the ledger identifies it. */
export function ownerOf({ id, agentId }: { readonly id: string; readonly agentId: string }): LedgerOperation {
  return { operationId: id, agentId };
}

/** The posted total of an order's fills. */
type PostedResult = Extract<OrderResult, { readonly kind: 'posted' }>;

/** An order whose fills are all known. */
interface CompleteOrder {
  readonly result: PostedResult;
  /** Posts the fills, first of all that its transaction does. */
  readonly write: (tx: DatabaseTransaction) => Promise<void>;
}

/** An order is looked at again when it is this part older, and after so long at the latest. */
const AGES_PER_POLL = 8;
const MAX_PAUSE_MS = 10_000;

/** Posts orders to the ledger from their fills, which may be shown later than the order. */
export class Posting {
  constructor(private readonly dependencies: Dependencies) {}

  /**
   * Returns an order with all of its fills; undefined while the exchange does not show all of them.
   * @param escrowUsdMicros what a buy may cost; 0 of a sale
   * @throws what its reads throw; Error when it shows what was not ordered
   */
  async complete(
    operation: LedgerOperation,
    plan: PostingOrder,
    escrowUsdMicros: bigint,
  ): Promise<CompleteOrder | undefined> {
    const said = await this.#poll(plan.placed);
    const look = said.isWhole ? said : await this.#pollAgain(plan);
    if (!look?.isWhole) return undefined;
    const { order } = plan;
    const { placed, fills } = look;
    const result: PostedResult = { kind: 'posted', placed, posted: postedOf(order, fills, escrowUsdMicros) };
    return { result, write: (tx) => this.#write(tx, operation, { order, result, fills }) };
  }

  /** Returns the pause before the next poll of an order whose fills are not all shown: the older, the longer. */
  pauseMs({ sinceMs }: PostingOrder): number {
    const { clock, timing } = this.dependencies;
    const ageMs = clock.nowMs() - sinceMs;
    return Math.max(timing.pollIntervalMs, Math.min(Math.floor(ageMs / AGES_PER_POLL), MAX_PAUSE_MS));
  }

  /** Says that an order may be on its way, before it is. */
  recordOpen(tx: DatabaseTransaction, operation: LedgerOperation, order: PlannedOrder): Promise<void> {
    return this.dependencies.ledger.recordOrder(tx, operation, recordOf(order, NO_OUTCOME, 'open'));
  }

  /** Says that an order never came to the exchange. */
  recordRefused(
    tx: DatabaseTransaction,
    operation: LedgerOperation,
    { order, refusal }: { readonly order: PlannedOrder; readonly refusal: OrderRefusal },
  ): Promise<void> {
    const outcome = outcomeOfResult(order, { kind: 'rejected', refusal });
    return this.dependencies.ledger.recordOrder(tx, operation, recordOf(order, outcome, 'rejected'));
  }

  async #write(
    tx: DatabaseTransaction,
    operation: LedgerOperation,
    {
      order,
      result,
      fills,
    }: { readonly order: PlannedOrder; readonly result: PostedResult; readonly fills: readonly ExchangeFill[] },
  ): Promise<void> {
    const { ticker, side, action } = order;
    const { placed, posted } = result;
    const taken = { ticker, side, action, orderId: placed.orderId };
    const { totalUsdMicros, feeUsdMicros } = await this.dependencies.ledger.postFills(tx, operation, taken, fills);
    // What is paid next was worked out from it.
    if (posted.totalUsdMicros !== totalUsdMicros || posted.feeUsdMicros !== feeUsdMicros) {
      throw new Error(`the ledger counts ${totalUsdMicros} and ${feeUsdMicros} where the plan says otherwise`);
    }
    const outcome = outcomeOfResult(order, result);
    await this.dependencies.ledger.recordOrder(tx, operation, recordOf(order, outcome, outcome.status!));
  }

  /** Reads the fills of an order, and compares their count with the reported one. */
  async #poll(placed: Placed): Promise<Snapshot> {
    const fills = placed.filled === 0n ? [] : inOrder(await this.dependencies.exchange.fills(placed.orderId));
    const shown = fills.reduce((sum, { count }) => sum + count, 0n);
    return { placed, fills, isWhole: shown === placed.filled };
  }

  /** Polls by the order's own record, in case the response to placing it was wrong. */
  async #pollAgain({ order, clientOrderId }: PostingOrder): Promise<Snapshot | undefined> {
    const wanted = { ticker: order.ticker, clientOrderId, sinceMs: firstSentMs(order) };
    const found = await this.dependencies.exchange.findOrder(wanted);
    if (!found || found.status === 'resting') return undefined;
    return this.#poll({ orderId: found.orderId, filled: found.filled });
  }
}

/** The exchange's view of an order. */
interface Snapshot {
  readonly placed: Placed;
  readonly fills: readonly ExchangeFill[];
  readonly isWhole: boolean;
}

/** Returns each fill once, in the ledger's order: pages of the exchange may overlap. */
function inOrder(fills: readonly ExchangeFill[]): readonly ExchangeFill[] {
  const byId = new Map(fills.map((fill) => [fill.fillId, fill]));
  return [...byId.values()].sort((a, b) => a.atMs - b.atMs || (a.fillId < b.fillId ? -1 : 1));
}

function recordOf(order: PlannedOrder, outcome: OrderOutcome, status: RecordedStatus): OrderRecord {
  const { ticker, eventTicker, side, action, count, askedAtMs } = order;
  const { orderId, filled, totalUsdMicros, feeUsdMicros, filledAtMs } = outcome;
  return {
    ticker,
    eventTicker,
    side,
    action,
    orderId,
    filled,
    totalUsdMicros,
    feeUsdMicros,
    status,
    filledAtMs,
    count,
    createdAtMs: askedAtMs,
  };
}
