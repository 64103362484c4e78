import type { Outbox } from '@agent-wallet/events';
import { AppError } from '@agent-wallet/kernel';
import type { Database, Queryable } from '@agent-wallet/platform';
import { postPurchase, postSale, type FillState, priceOf } from '../../domain/ledger/post-fill.js';
import { line } from '../../domain/ledger/line.js';
import type {
  LedgerOperation,
  LedgerStore,
  Fill,
  Filled,
  OrderRecord,
  OrderTerms,
  PlacedOrder,
  PositionPart,
} from '../../ports/ledger-store.js';
import { readPostedFills, readFilled, readFillState } from './fill-state.js';
import { isOverdrawn, lockMarket, post } from './journal.js';
import { isBegun } from './begun-settlements.js';
import { PostgresLedgerReader } from './postgres-ledger-reader.js';

/** The ledger in the schema `prediction`. */
export class PostgresLedgerStore extends PostgresLedgerReader implements LedgerStore {
  constructor(
    database: Pick<Database, 'pool'>,
    private readonly outbox: Outbox,
  ) {
    super(database);
  }

  async escrow(tx: Queryable, operation: LedgerOperation, amountUsdMicros: bigint): Promise<void> {
    assertPositive(amountUsdMicros);
    await post(tx, {
      key: `escrow:${operation.operationId}`,
      kind: 'escrow',
      lines: [line('escrow', -amountUsdMicros, of(operation)), line('treasury_usdc', amountUsdMicros)],
    });
  }

  async postFills(
    tx: Queryable,
    operation: LedgerOperation,
    order: PlacedOrder,
    fills: readonly Fill[],
  ): Promise<Filled> {
    await lockMarket(tx, order.ticker);
    const posted = await readPostedFills(
      tx,
      operation.operationId,
      fills.map(({ fillId }) => fillId),
    );
    const fresh = [...new Map(fills.map((fill) => [fill.fillId, fill])).values()].filter((f) => !posted.has(f.fillId));
    if (fresh.length === 0) return readFilled(tx, operation.operationId);
    let state = await readFillState(tx, { ...order, ...of(operation) });
    for (const fill of fresh.sort(byTime)) state = await postFill(tx, { ...order, ...of(operation) }, { fill, state });
    const filled = await readFilled(tx, operation.operationId);
    const { agentId, operationId } = operation;
    const { orderId, ticker, side, action } = order;
    const { count: filledHundredths, totalUsdMicros, feeUsdMicros } = filled;
    const fillIds = fresh.map(({ fillId }) => fillId);
    const value = {
      operationId,
      orderId,
      ticker,
      side,
      action,
      filledHundredths,
      totalUsdMicros,
      feeUsdMicros,
      fillIds,
    };
    await this.outbox.write(tx, agentId, { $case: 'orderFilled', value });
    return filled;
  }

  async recordOrder(tx: Queryable, operation: LedgerOperation, order: OrderRecord): Promise<void> {
    await tx.query({
      name: 'ledger-record-order',
      text: `with market as (
               insert into markets (ticker, event_ticker) values ($4, $5) on conflict do nothing)
             insert into orders (operation_id, agent_id, order_id, ticker, event_ticker, side, action, count, filled,
               total_usd_micros, fee_usd_micros, status, created_at_ms, filled_at_ms)
             values ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12, $13, $14)
             on conflict (operation_id) do update set order_id = excluded.order_id, filled = excluded.filled,
               total_usd_micros = excluded.total_usd_micros, fee_usd_micros = excluded.fee_usd_micros,
               status = excluded.status, filled_at_ms = excluded.filled_at_ms`,
      values: [
        operation.operationId,
        operation.agentId,
        order.orderId,
        order.ticker,
        order.eventTicker,
        order.side,
        order.action,
        order.count,
        order.filled,
        order.totalUsdMicros,
        order.feeUsdMicros,
        order.status,
        order.createdAtMs,
        order.filledAtMs ?? null,
      ],
    });
  }

  async lockPosition(tx: Queryable, operation: LedgerOperation, part: PositionPart): Promise<void> {
    assertPositive(part.count);
    const { ticker, side, count } = part;
    await lockMarket(tx, ticker);
    // What is locked could not be paid with its market.
    if (await isBegun(tx, ticker)) throw new AppError('MARKET_CLOSED');
    const { agentId } = operation;
    const lines = [
      line('position', -count, { agentId, ticker, side }),
      line('position_locked', count, { ...of(operation), ticker, side }),
    ];
    await post(tx, { key: `lock:${operation.operationId}`, kind: 'lock', lines }).catch((error: unknown) => {
      throw isOverdrawn(error) ? new AppError('INSUFFICIENT_POSITION', { cause: error }) : error;
    });
  }

  async unlockPosition(tx: Queryable, operation: LedgerOperation): Promise<void> {
    const { rows } = await tx.query<{ ticker: string; side: 'yes' | 'no'; balance: string }>({
      name: 'ledger-locked',
      text: `select ticker, side, balance from accounts
             where agent_id = $1 and kind = 'position_locked' and operation_id = $2`,
      values: [operation.agentId, operation.operationId],
    });
    const locked = rows[0];
    if (!locked) return;
    const { ticker, side } = locked;
    const lines = [
      line('position', BigInt(locked.balance), { agentId: operation.agentId, ticker, side }),
      line('position_locked', -BigInt(locked.balance), { ...of(operation), ticker, side }),
    ];
    await post(tx, { key: `unlock:${operation.operationId}`, kind: 'unlock', lines });
  }

  async startRefund(tx: Queryable, operation: LedgerOperation, step: number, amountUsdMicros: bigint): Promise<void> {
    assertPositive(amountUsdMicros);
    const lines = [
      line('escrow', amountUsdMicros, of(operation)),
      line('withdraw_pending', -amountUsdMicros, of(operation)),
    ];
    await post(tx, { key: beginKey(operation, step), kind: 'refund_started', lines });
  }

  async startPayout(tx: Queryable, operation: LedgerOperation, step: number, amountUsdMicros: bigint): Promise<void> {
    assertPositive(amountUsdMicros);
    const lines = [
      line('prediction_balance', amountUsdMicros, { agentId: operation.agentId }),
      line('withdraw_pending', -amountUsdMicros, of(operation)),
    ];
    const posting = post(tx, { key: beginKey(operation, step), kind: 'payout_started', lines });
    await posting.catch((error: unknown) => {
      throw isOverdrawn(error) ? new AppError('INSUFFICIENT_FUNDS', { cause: error }) : error;
    });
  }

  async payoutConfirmed(tx: Queryable, operation: LedgerOperation, step: number): Promise<void> {
    const amount = await readBegun(tx, operation, step);
    const lines = [line('withdraw_pending', amount, of(operation)), line('treasury_usdc', -amount)];
    await post(tx, { key: endKey(operation, step), kind: 'payout_confirmed', lines });
  }

  async payoutExpired(tx: Queryable, operation: LedgerOperation, step: number): Promise<void> {
    const amount = await readBegun(tx, operation, step);
    const lines = [
      line('prediction_balance', -amount, { agentId: operation.agentId }),
      line('withdraw_pending', amount, of(operation)),
    ];
    await post(tx, { key: endKey(operation, step), kind: 'payout_expired', lines });
  }
}

/** Callers may hand over more of an operation than an account is of. */
const of = ({ operationId, agentId }: LedgerOperation): LedgerOperation => ({ operationId, agentId });

// A refund and a payout are the same step of an operation, and it ends in one way: they share their keys.
const beginKey = ({ operationId }: LedgerOperation, step: number) => `begin:${operationId}:${step}`;
const endKey = ({ operationId }: LedgerOperation, step: number) => `end:${operationId}:${step}`;

async function postFill(
  tx: Queryable,
  order: LedgerOperation & OrderTerms,
  { fill, state }: { readonly fill: Fill; readonly state: FillState },
): Promise<FillState> {
  const { count, feeUsdMicros } = fill;
  const traded = { ...order, count, feeUsdMicros, priceUsdMicros: priceOf(fill, order) };
  const entry = order.action === 'buy' ? postPurchase(traded, state) : postSale(traded, state);
  const key = `fill:${fill.fillId}`;
  const id = await post(tx, { key, kind: `${order.action}_fill`, lines: entry.lines });
  if (!id) throw new Error(`${key} is posted, and its row is missing`);
  await tx.query({
    name: 'ledger-record-fill',
    text: `insert into fills (fill_id, operation_id, ticker, count, total_usd_micros, fee_usd_micros,
             charged_fee_usd_micros, at_ms) values ($1, $2, $3, $4, $5, $6, $7, $8)`,
    values: [
      fill.fillId,
      order.operationId,
      order.ticker,
      count,
      entry.totalUsdMicros,
      entry.feeUsdMicros,
      feeUsdMicros,
      fill.atMs,
    ],
  });
  return entry.after;
}

/** Returns the amount of the payout that was begun at a step. @throws Error when nothing was */
async function readBegun(tx: Queryable, operation: LedgerOperation, step: number): Promise<bigint> {
  const { rows } = await tx.query<{ amount: string }>({
    name: 'ledger-begun',
    text: `select -l.amount as amount from journal_entries e,
             unnest(e.lines) as l (kind, agent_id, operation_id, ticker, side, amount)
           where e.key = $1 and l.kind = 'withdraw_pending'`,
    values: [beginKey(operation, step)],
  });
  if (!rows[0]) throw new Error(`no payout was begun as ${beginKey(operation, step)}`);
  return BigInt(rows[0].amount);
}

function byTime(a: Fill, b: Fill): number {
  return a.atMs - b.atMs || (a.fillId < b.fillId ? -1 : 1);
}

function assertPositive(amount: bigint): void {
  if (amount <= 0n) throw new RangeError(`not an amount to book: ${amount}`);
}
