import type { Queryable } from '@agent-wallet/platform';
import type { Line } from '../../domain/ledger/line.js';

/** A journal entry: a transaction writes all of it or nothing. */
interface Entry {
  /** The entry's subject and cause; the same key is posted once. */
  readonly key: string;
  readonly kind: string;
  readonly lines: readonly Line[];
}

/** Any number: the locks of markets. */
const MARKET_LOCKS = 7_214_011;

const LINES = `(select array_agg(row(l.kind, l.agent_id, l.operation_id, l.ticker, l.side, l.amount)::entry_line order by l.n)
  from unnest($3::account_kind[], $4::uuid[], $5::uuid[], $6::text[], $7::text[], $8::bigint[])
    with ordinality as l (kind, agent_id, operation_id, ticker, side, amount, n))`;

/**
 * Adds an entry to the journal, in the caller's transaction, unless it is there; the database carries it into the
 * accounts, and refuses one that does not sum to zero or that takes more than there is.
 * @returns the entry's id; undefined when it was there
 * @throws Error when another entry has that key
 */
export async function post(tx: Queryable, entry: Entry): Promise<string | undefined> {
  const values = [entry.key, entry.kind, ...columnsOf(entry.lines)];
  const posted = await tx.query<{ id: string }>({
    name: 'ledger-post',
    text: `insert into journal_entries (key, kind, lines) values ($1, $2, ${LINES}) on conflict (key) do nothing returning id`,
    values,
  });
  if (posted.rows[0]) return posted.rows[0].id;
  const { rows } = await tx.query<{ same: boolean }>({
    name: 'ledger-same',
    text: `select kind = $2 and lines = ${LINES} as same from journal_entries where key = $1`,
    values,
  });
  if (!rows[0]?.same) throw new Error(`something else is posted as ${entry.key}`);
  return undefined;
}

function columnsOf(lines: readonly Line[]): readonly unknown[] {
  return [
    lines.map(({ kind }) => kind),
    lines.map(({ agentId }) => agentId),
    lines.map(({ operationId }) => operationId),
    lines.map(({ ticker }) => ticker),
    lines.map(({ side }) => side),
    lines.map(({ amount }) => amount),
  ];
}

/**
 * Makes this transaction the only one that changes contracts of a market until it ends: what is netted depends on what
 * all agents hold. The order of locks everywhere: one market, then accounts in the order of their kinds (those of
 * markets, of agents, of the operator), which the journal's trigger keeps within an entry. A transaction that writes
 * several entries touches accounts of one agent, and the operator's last.
 */
export async function lockMarket(tx: Queryable, ticker: string): Promise<void> {
  await tx.query({
    name: 'ledger-lock-market',
    text: 'select pg_advisory_xact_lock($1, hashtext($2))',
    values: [MARKET_LOCKS, ticker],
  });
}

/** Reports whether the database rejected an entry because it takes more than there is. */
export function isOverdrawn(error: unknown): boolean {
  return (error as { constraint?: unknown } | undefined)?.constraint === 'accounts_never_overdrawn';
}
