import { type Database, databaseError } from '@agent-wallet/platform';
import type { TransactionRecord, TransactionStatus } from '../domain/transaction-record.js';
import type { Page, PageQuery, TransactionStore } from '../ports/transaction-store.js';
import { timestamp } from './sql-values.js';
import { LIVE } from './history-tables.js';

const COLUMNS =
  't.id, t.agent_id, t.revision, t.action, t.status, t.asset, t.amount, t.decimals, t.recipient, t.signature, t.facts, t.created_at, t.updated_at';

/** A row of `transactions`. */
interface Row {
  readonly id: string;
  readonly agent_id: string;
  readonly revision: string;
  readonly action: string;
  readonly status: TransactionStatus;
  readonly asset: string;
  readonly amount: string | null;
  readonly decimals: number;
  readonly recipient: string;
  readonly signature: string;
  readonly facts: Buffer;
  readonly created_at: Date;
  readonly updated_at: Date;
}

/** A row of a page; a page without records has one row that has the total alone. */
type PageRow = Row & { readonly total: string } & { readonly id: string | null };

/** The tables `transactions`, `transaction_counts` and `page_anchors`, read by one statement a question. */
export class PostgresTransactionStore implements TransactionStore {
  constructor(private readonly database: Database) {}

  async page({ agentId, action, limit, offset, after }: PageQuery): Promise<Page> {
    const list = [agentId, action ?? '', limit];
    const isOfAll = action === undefined;
    const rows = await (after
      ? this.read<PageRow>({
          ...(isOfAll ? NEXT_OF_ALL : NEXT_OF_ACTION),
          values: [...list, timestamp(after.createdAtMs), after.id],
        })
      : this.read<PageRow>({ ...(isOfAll ? PAGE_OF_ALL : PAGE_OF_ACTION), values: [...list, offset] }));
    return { records: rows.filter(({ id }) => id !== null).map(toRecord), total: Number(rows[0]?.total ?? 0) };
  }

  async all(agentId: string, ids: readonly string[]): Promise<TransactionRecord[]> {
    const text = `select ${COLUMNS} from ${LIVE.transactions} t where id = any($2::uuid[]) and agent_id = $1`;
    const rows = await this.read<Row>({ name: 'transactions-by-id', text, values: [agentId, ids] });
    return rows.map(toRecord);
  }

  async total(agentId: string, action: string | undefined): Promise<number> {
    const text = `select total from ${LIVE.counts} where agent_id = $1 and action = $2`;
    const [row] = await this.read<PageRow>({ name: 'transactions-total', text, values: [agentId, action ?? ''] });
    return Number(row?.total ?? 0);
  }

  async find(agentId: string, id: string): Promise<TransactionRecord | undefined> {
    const text = `select ${COLUMNS} from ${LIVE.transactions} t where id = $1 and agent_id = $2`;
    const [row] = await this.read<Row>({ name: 'transaction', text, values: [id, agentId] });
    return row && toRecord(row);
  }

  private async read<R extends Row>(statement: { name: string; text: string; values: unknown[] }): Promise<R[]> {
    try {
      return (await this.database.pool.query<R>(statement)).rows;
    } catch (error) {
      throw databaseError(error);
    }
  }
}

const PAGE_OF_ALL = { name: 'page-of-all', text: pageStatement('t.agent_id = $1') };
const PAGE_OF_ACTION = { name: 'page-of-action', text: pageStatement('t.agent_id = $1 and t.action = $2') };

const NEXT_OF_ALL = { name: 'next-of-all', text: nextStatement('t.agent_id = $1') };
const NEXT_OF_ACTION = { name: 'next-of-action', text: nextStatement('t.agent_id = $1 and t.action = $2') };

/** Selects the page after a record. An empty list may have no total. */
function nextStatement(inList: string): string {
  return `select c.total, p.* from (select) one
          left join (select total from ${LIVE.counts} where agent_id = $1 and action = $2) c on true
          left join lateral (
            select ${COLUMNS} from ${LIVE.transactions} t where ${inList} and (t.created_at, t.id) < ($4, $5)
            order by t.created_at desc, t.id desc limit $3) p on true
          order by p.created_at desc, p.id desc`;
}

/**
 * Selects total and page in one statement, so that they are of one snapshot. To skip the newest `offset` records,
 * starts at the first mark that has no record of the page before it, or else at the newest record. So it passes at most
 * a few hundred rows, wherever the page is.
 */
function pageStatement(inList: string): string {
  return `with counted as (select total from ${LIVE.counts} where agent_id = $1 and action = $2),
          start as (
            select c.total, coalesce(m.before, c.total) - (c.total - $4) as skip,
              coalesce(m.created_at, 'infinity') as created_at,
              coalesce(m.id, 'ffffffff-ffff-ffff-ffff-ffffffffffff') as id
            from counted c left join lateral (
              select k.created_at, k.id, k.before from ${LIVE.pageAnchors} k
              where k.agent_id = $1 and k.action = $2 and k.before >= c.total - $4
              order by k.before limit 1) m on true)
          select s.total, p.* from start s left join lateral (
            select ${COLUMNS} from ${LIVE.transactions} t
            where s.total > $4 and ${inList} and (t.created_at, t.id) < (s.created_at, s.id)
            order by t.created_at desc, t.id desc offset s.skip limit $3) p on true
          order by p.created_at desc, p.id desc`;
}

function toRecord({ agent_id, facts, created_at, updated_at, ...row }: Row): TransactionRecord {
  return {
    id: row.id,
    agentId: agent_id,
    revision: Number(row.revision),
    action: row.action,
    status: row.status,
    asset: row.asset,
    amount: row.amount === null ? undefined : BigInt(row.amount),
    decimals: row.decimals,
    recipient: row.recipient,
    signature: row.signature,
    facts,
    createdAtMs: created_at.getTime(),
    updatedAtMs: updated_at.getTime(),
  };
}
