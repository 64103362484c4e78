import { createOutbox } from '@agent-wallet/events';
import { newId, Secret, systemClock } from '@agent-wallet/kernel';
import { type Database, openDatabase, type Queryable } from '@agent-wallet/platform';
import { openMigratedDatabase, silent } from '@agent-wallet/platform/testing';
import type { TestConnection } from '@agent-wallet/testing';
import { predictionMigrations } from '../src/index.js';
import { PostgresLedgerStore } from '../src/adapters/ledger/postgres-ledger-store.js';
import type {
  LedgerOperation,
  Fill,
  OrderRecord,
  OrderTerms,
  PlacedOrder,
  PositionPart,
} from '../src/ports/ledger-store.js';

/** A schema that its owner has migrated, as the service's role sees it. */
export interface LedgerUnderTest {
  readonly database: Database;
  readonly owner: Database;
  /** Whom no right holds back. */
  readonly superuser: TestConnection;
  readonly ledger: PostgresLedgerStore;
  /** One write in a transaction of its own. */
  readonly write: <Result>(work: (tx: Queryable) => Promise<Result>) => Promise<Result>;
  /** The balance of a kind over all its accounts; what is owed is negative. */
  total(kind: string): Promise<bigint>;
  rows<Row extends object>(sql: string, ...values: unknown[]): Promise<Row[]>;
  close(): Promise<void>;
}

export async function openLedger(): Promise<LedgerUnderTest> {
  const test = await openMigratedDatabase([predictionMigrations], { ownedApart: ['prediction'] });
  const owner = openAs(test.schemas.prediction_owner);
  const database = openAs(test.schemas.prediction);
  const rows = async <Row extends object>(sql: string, ...values: unknown[]) =>
    (await database.pool.query<Row>(sql, values)).rows;
  return {
    database,
    owner,
    superuser: test.connection,
    ledger: new PostgresLedgerStore(database, createOutbox('prediction', systemClock)),
    write: (work) => database.transaction(work),
    total: async (kind) => {
      const sql = 'select coalesce(sum(balance), 0) as total from accounts where kind::text = $1';
      return BigInt((await rows<{ total: string }>(sql, kind))[0]!.total);
    },
    rows,
    close: async () => {
      await Promise.all([database.close(), owner.close()]);
      await test.close();
    },
  };
}

function openAs(connection: TestConnection): Database {
  const options = { schema: 'prediction', logger: silent, maxConnections: 25 };
  return openDatabase({ ...options, connection: { ...connection, password: new Secret(connection.password) } });
}

export const operationOf = (agentId: string): LedgerOperation => ({ operationId: newId(), agentId });

/** Accounts and totals that are not the sum of their lines, accounts left empty, and ledgers that are not zero: none. */
export async function faultsOf(test: LedgerUnderTest): Promise<readonly object[]> {
  return test.rows(`
    with sums as (
      select kind, agent_id, operation_id, ticker, side, sum(amount) as amount from entry_lines
      group by kind, agent_id, operation_id, ticker, side)
    select 'unequal' as fault, kind::text, sums.amount, accounts.balance
    from sums full join accounts using (kind, agent_id, operation_id, ticker, side)
    where coalesce(sums.amount, 0) <> coalesce(accounts.balance, 0)
    union all
    select 'other total', t.kind::text, t.balance, coalesce(sum(a.balance), 0) from ledger_totals t
    left join accounts a using (kind) group by t.kind, t.balance having t.balance <> coalesce(sum(a.balance), 0)
    union all
    select 'left empty', kind::text, 0, null from accounts where balance = 0 and ticker <> ''
    union all
    select 'unbalanced', ledger, sum(amount), null from (
      select ledger_of(row(kind, agent_id, operation_id, ticker, side, amount)::entry_line) as ledger, amount
      from entry_lines) lines
    group by ledger having sum(amount) <> 0`);
}

export const terms = (ticker: string, side: 'yes' | 'no', action: 'buy' | 'sell'): PlacedOrder => ({
  orderId: newId(),
  ticker,
  side,
  action,
});

/** A fill of that order at that price of the agent's side. */
export function fillOf(
  order: OrderTerms,
  { count, priceUsdMicros, feeUsdMicros = 0n }: { count: bigint; priceUsdMicros: bigint; feeUsdMicros?: bigint },
): Fill {
  const other = 1_000_000n - priceUsdMicros;
  const isYes = order.side === 'yes';
  return {
    fillId: newId(),
    ticker: order.ticker,
    side: isYes === (order.action === 'buy') ? 'yes' : 'no',
    count,
    yesPriceUsdMicros: isYes ? priceUsdMicros : other,
    noPriceUsdMicros: isYes ? other : priceUsdMicros,
    feeUsdMicros,
    atMs: 1_700_000_000_000,
  };
}

export function orderRecord(order: OrderTerms, more: Partial<OrderRecord> = {}): OrderRecord {
  return {
    ...order,
    orderId: newId(),
    eventTicker: `${order.ticker}-EVENT`,
    count: 100n,
    filled: 0n,
    totalUsdMicros: 0n,
    feeUsdMicros: 0n,
    status: 'open',
    createdAtMs: 1_700_000_000_000,
    filledAtMs: undefined,
    ...more,
  };
}

/** Gives an agent contracts, bought at 50 cents without a fee. */
export async function bought({ write, ledger }: LedgerUnderTest, agentId: string, part: PositionPart): Promise<void> {
  const operation = operationOf(agentId);
  const order = terms(part.ticker, part.side, 'buy');
  await write((tx) => ledger.escrow(tx, operation, part.count * 5_000n));
  const fill = fillOf(order, { count: part.count, priceUsdMicros: 500_000n });
  await write((tx) => ledger.postFills(tx, operation, order, [fill]));
}
