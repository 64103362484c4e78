import { NIL_UUID } from '@agent-wallet/kernel';
import type { Queryable } from '@agent-wallet/platform';
import type { AccountKind } from '../../domain/ledger/line.js';
import type { LedgerSnapshot } from '../../ports/reconciliation-store.js';

interface FactsRow {
  readonly treasury_mark: string;
  readonly exchange_mark: string;
  readonly last_fill_at_ms: string;
  readonly expected_escrows: string;
  readonly open_operations: number;
  readonly halted_reason: string | null;
}

// A buy's plan is written before its escrow is moved. No snapshot would ever be as late as a fill that was reported with a
// time to come: such times do not count.
const FACTS = `
  select
    (select coalesce(max(entry_id), 0) from accounts where agent_id = '${NIL_UUID}' and kind = 'treasury_usdc') as treasury_mark,
    (select coalesce(max(entry_id), 0) from accounts where agent_id = '${NIL_UUID}' and kind = 'exchange_cash') as exchange_mark,
    (select coalesce(max(at_ms), 0) from fills where at_ms < extract(epoch from now()) * 1000 + 60000) as last_fill_at_ms,
    (select coalesce(sum((o.plan->>'escrowUsdMicros')::bigint), 0) from operations o
      where o.due_at is not null and o.state in ('pending', 'submitted') and o.action = 'prediction_buy'
        and not exists (select from journal_entries e where e.key = 'escrow:' || o.id)) as expected_escrows,
    (select count(*)::integer from operations where due_at is not null and state in ('pending', 'submitted'))
      as open_operations,
    (select reason from order_halts where ended_at is null) as halted_reason`;

/** Reads what the ledger says; all statements of one snapshot. */
export async function readPicture(tx: Queryable): Promise<LedgerSnapshot> {
  await tx.query('set transaction isolation level repeatable read, read only');
  const facts = (await tx.query<FactsRow>({ name: 'ledger-facts', text: FACTS })).rows[0]!;
  const accounts = await tx.query<{ kind: AccountKind; balance: string }>({
    name: 'ledger-totals',
    text: 'select kind, balance from ledger_totals order by kind',
  });
  const positions = await tx.query<{ ticker: string; net: string }>({
    name: 'ledger-net-positions',
    text: `select ticker, sum(case side when 'yes' then -balance else balance end)::bigint as net
           from accounts where kind = 'outstanding' and balance <> 0 group by ticker
           having sum(case side when 'yes' then -balance else balance end) <> 0`,
  });
  const orders = await tx.query<{ ticker: string; count: string }>({
    name: 'ledger-open-orders',
    text: `select ticker, sum(count)::bigint as count from orders where status = 'open' group by ticker`,
  });
  return {
    treasuryMark: facts.treasury_mark,
    exchangeMark: facts.exchange_mark,
    accounts: accounts.rows.map(({ kind, balance }) => ({ kind, balanceUsdMicros: BigInt(balance) })),
    positions: new Map(positions.rows.map(({ ticker, net }) => [ticker, BigInt(net)])),
    openOrders: new Map(orders.rows.map(({ ticker, count }) => [ticker, BigInt(count)])),
    expectedEscrowsUsdMicros: BigInt(facts.expected_escrows),
    lastFillAtMs: Number(facts.last_fill_at_ms),
    openOperations: facts.open_operations,
    ordersHaltedReason: facts.halted_reason ?? undefined,
  };
}
