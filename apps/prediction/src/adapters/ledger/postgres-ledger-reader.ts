import { invalidCursor, isUuid, NIL_UUID } from '@agent-wallet/kernel';
import type { Database } from '@agent-wallet/platform';
import type { Side } from '../../domain/ledger/side.js';
import type {
  AgentBalance,
  LedgerPosition,
  LedgerReader,
  Held,
  OrderPage,
  OrderQuery,
  PositionList,
  RecordedStatus,
  SettledAs,
} from '../../ports/ledger-store.js';

interface PositionRow {
  readonly ticker: string;
  readonly event_ticker: string;
  readonly side: Side;
  readonly quantity: string;
  readonly locked: string;
  readonly cost: string;
  readonly result: SettledAs | null;
  readonly payout: string | null;
  /** Number of the agent's positions that are open, or settled, as this one. */
  readonly total: number;
}

/** Positions in a list: so many open ones, and so many settled ones. */
const MAX_POSITIONS = 1_000;

// A position that was sold whole is none any more. What is settled keeps the quantity that it had.
const POSITIONS = `
  select coalesce(m.event_ticker, '') as event_ticker, p.* from (
    (select ticker, side, sum(balance) filter (where kind <> 'position_cost') as quantity,
      coalesce(sum(balance) filter (where kind = 'position_locked'), 0) as locked,
      coalesce(sum(balance) filter (where kind = 'position_cost'), 0) as cost,
      null as result, null::bigint as payout, max(entry_id) as entry_id,
      count(*) over ()::integer as total
    from accounts where agent_id = $1 and kind in ('position', 'position_locked', 'position_cost')
    group by ticker, side having sum(balance) filter (where kind <> 'position_cost') > 0
    order by entry_id desc, ticker, side limit $2)
    union all
    (select ticker, side, quantity, 0, cost_usd_micros, result, payout_usd_micros, entry_id, count(*) over ()::integer
    from settled_positions where agent_id = $1 order by entry_id desc, ticker, side limit $2)) p
  left join markets m using (ticker)
  order by p.entry_id desc, p.ticker, p.side`;

/** Reads of the ledger, in the schema `prediction`. */
export class PostgresLedgerReader implements LedgerReader {
  constructor(private readonly database: Pick<Database, 'pool'>) {}

  async heldFor(operationId: string): Promise<Held> {
    const { rows } = await this.database.pool.query<{ kind: string; balance: string }>({
      name: 'ledger-held',
      text: `select kind, abs(balance) as balance from accounts
             where operation_id = $1 and operation_id <> '${NIL_UUID}'`,
      values: [operationId],
    });
    const of = (kind: string) => BigInt(rows.find((row) => row.kind === kind)?.balance ?? 0);
    return {
      escrowUsdMicros: of('escrow'),
      pendingUsdMicros: of('withdraw_pending'),
      lockedCount: of('position_locked'),
    };
  }

  async balanceOf(agentId: string): Promise<AgentBalance> {
    const { rows } = await this.database.pool.query<{ available: string; reserved: string }>({
      name: 'ledger-balance',
      text: `select -coalesce(sum(balance) filter (where kind = 'prediction_balance'), 0)::bigint as available,
               -coalesce(sum(balance) filter (where kind = 'withdraw_pending'), 0)::bigint as reserved
             from accounts where agent_id = $1 and kind in ('prediction_balance', 'withdraw_pending')`,
      values: [agentId],
    });
    return { availableUsdMicros: BigInt(rows[0]!.available), reservedUsdMicros: BigInt(rows[0]!.reserved) };
  }

  async freeContractsOf(agentId: string, ticker: string, side: Side): Promise<bigint> {
    const { rows } = await this.database.pool.query<{ balance: string }>({
      name: 'ledger-free-contracts',
      text: `select balance from accounts where agent_id = $1 and kind = 'position' and ticker = $2 and side = $3`,
      values: [agentId, ticker, side],
    });
    return BigInt(rows[0]?.balance ?? 0);
  }

  async positionsOf(agentId: string, settled: boolean | undefined): Promise<PositionList> {
    const { rows } = await this.database.pool.query<PositionRow>({
      name: 'ledger-positions',
      text: POSITIONS,
      values: [agentId, MAX_POSITIONS],
    });
    const isWanted = ({ settlement }: LedgerPosition) =>
      settled === undefined || settled === (settlement !== undefined);
    const [open, ended] = [rows.find((row) => row.result === null), rows.find((row) => row.result !== null)];
    const positions = rows.map(positionOf).filter(isWanted);
    return { positions, openCount: open?.total ?? 0, settledCount: ended?.total ?? 0 };
  }

  async ordersOf(agentId: string, { ticker, limit, cursor }: OrderQuery): Promise<OrderPage> {
    const after = cursor === '' ? undefined : readCursor(cursor);
    const { rows } = await this.database.pool.query<OrderRow>({
      name: 'ledger-orders',
      text: `select ${ORDER_COLUMNS} from orders
             where agent_id = $1 and order_id <> '' and ($2::text is null or ticker = $2)
               and ($3::bigint is null or (created_at_ms, operation_id) < ($3, $4::uuid))
             order by created_at_ms desc, operation_id desc limit $5`,
      values: [agentId, ticker ?? null, after?.createdAtMs ?? null, after?.operationId ?? null, limit + 1],
    });
    const page = rows.slice(0, limit);
    const last = page.at(-1);
    return {
      orders: page.map(orderOf),
      cursor: rows.length > limit && last ? writeCursor(last) : '',
    };
  }

  async ordersHalted(): Promise<string | undefined> {
    const { rows } = await this.database.pool.query<{ reason: string }>({
      name: 'ledger-orders-stopped',
      text: 'select reason from order_halts where ended_at is null',
    });
    return rows[0]?.reason;
  }
}

function positionOf(row: PositionRow): LedgerPosition {
  return {
    ticker: row.ticker,
    eventTicker: row.event_ticker,
    side: row.side,
    quantity: BigInt(row.quantity),
    lockedCount: BigInt(row.locked),
    costUsdMicros: BigInt(row.cost),
    settlement: row.result === null ? undefined : { result: row.result, payoutUsdMicros: BigInt(row.payout ?? 0) },
  };
}

const ORDER_COLUMNS = `operation_id, order_id, ticker, event_ticker, side, action, count, filled, total_usd_micros,
  fee_usd_micros, status, created_at_ms, filled_at_ms`;

interface OrderRow {
  readonly operation_id: string;
  readonly order_id: string;
  readonly ticker: string;
  readonly event_ticker: string;
  readonly side: Side;
  readonly action: 'buy' | 'sell';
  readonly count: string;
  readonly filled: string;
  readonly total_usd_micros: string;
  readonly fee_usd_micros: string;
  readonly status: RecordedStatus;
  readonly created_at_ms: string;
  readonly filled_at_ms: string | null;
}

function orderOf(row: OrderRow): OrderPage['orders'][number] {
  return {
    operationId: row.operation_id,
    orderId: row.order_id,
    ticker: row.ticker,
    eventTicker: row.event_ticker,
    side: row.side,
    action: row.action,
    count: BigInt(row.count),
    filled: BigInt(row.filled),
    totalUsdMicros: BigInt(row.total_usd_micros),
    feeUsdMicros: BigInt(row.fee_usd_micros),
    status: row.status,
    createdAtMs: Number(row.created_at_ms),
    filledAtMs: row.filled_at_ms === null ? undefined : Number(row.filled_at_ms),
  };
}

function writeCursor({ created_at_ms: at, operation_id: id }: OrderRow): string {
  return Buffer.from(`${at}.${id}`).toString('base64url');
}

function readCursor(cursor: string): { readonly createdAtMs: string; readonly operationId: string } {
  const [createdAtMs = '', operationId = ''] = Buffer.from(cursor, 'base64url').toString().split('.');
  if (!/^\d{1,15}$/.test(createdAtMs) || !isUuid(operationId)) throw invalidCursor();
  return { createdAtMs, operationId };
}
