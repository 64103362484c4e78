import type { Queryable } from '@agent-wallet/platform';
import type { FillState, TradedContracts } from '../../domain/ledger/post-fill.js';
import type { Filled } from '../../ports/ledger-store.js';

interface StateRow {
  readonly is_settled: boolean;
  readonly yes: string;
  readonly no: string;
  readonly quantity: string;
  readonly cost: string;
  readonly escrow: string;
}

const SUM = 'coalesce(sum(balance) filter';

/** Reads what a fill changes; under the market's lock. @throws Error when the market is settled */
export async function readFillState(
  tx: Queryable,
  order: Pick<TradedContracts, 'operationId' | 'agentId' | 'ticker' | 'side'>,
): Promise<FillState> {
  const { rows } = await tx.query<StateRow>({
    name: 'ledger-fill-state',
    text: `select exists (select from settlements where ticker = $1) as is_settled,
             -${SUM} (where kind = 'outstanding' and side = 'yes'), 0)::bigint as yes,
             -${SUM} (where kind = 'outstanding' and side = 'no'), 0)::bigint as no,
             ${SUM} (where kind in ('position', 'position_locked')), 0)::bigint as quantity,
             ${SUM} (where kind = 'position_cost'), 0)::bigint as cost,
             -${SUM} (where kind = 'escrow'), 0)::bigint as escrow
           from accounts
           where (ticker = $1 and kind = 'outstanding')
             or (agent_id = $2 and ticker = $1 and side = $3 and kind in ('position', 'position_locked', 'position_cost'))
             or (agent_id = $2 and operation_id = $4 and kind = 'escrow')`,
    values: [order.ticker, order.agentId, order.side, order.operationId],
  });
  const row = rows[0]!;
  if (row.is_settled) throw new Error(`a fill of ${order.ticker} is reported after the market was settled`);
  return {
    held: { yes: BigInt(row.yes), no: BigInt(row.no) },
    position: { quantity: BigInt(row.quantity), costUsdMicros: BigInt(row.cost) },
    escrowUsdMicros: BigInt(row.escrow),
  };
}

/** Returns those of the fills that are posted already. @throws Error when one is posted for another operation */
export async function readPostedFills(
  tx: Queryable,
  operationId: string,
  fillIds: readonly string[],
): Promise<ReadonlySet<string>> {
  const { rows } = await tx.query<{ fill_id: string; operation_id: string }>({
    name: 'ledger-posted-fills',
    text: 'select fill_id, operation_id from fills where fill_id = any($1)',
    values: [fillIds],
  });
  const other = rows.find((row) => row.operation_id !== operationId);
  if (other) throw new Error(`fill ${other.fill_id} is posted for another operation`);
  return new Set(rows.map((row) => row.fill_id));
}

/** Returns the total of all fills posted for an operation's order. */
export async function readFilled(tx: Queryable, operationId: string): Promise<Filled> {
  const { rows } = await tx.query<{ count: string; total: string; fee: string; last_at_ms: string | null }>({
    name: 'ledger-filled',
    text: `select coalesce(sum(count), 0)::bigint as count, coalesce(sum(total_usd_micros), 0)::bigint as total,
             coalesce(sum(fee_usd_micros), 0)::bigint as fee, max(at_ms) as last_at_ms
           from fills where operation_id = $1`,
    values: [operationId],
  });
  const { count, total, fee, last_at_ms: lastAtMs } = rows[0]!;
  return {
    count: BigInt(count),
    totalUsdMicros: BigInt(total),
    feeUsdMicros: BigInt(fee),
    lastAtMs: lastAtMs === null ? undefined : Number(lastAtMs),
  };
}
