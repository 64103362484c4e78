import { type Database, databaseError } from '@agent-wallet/platform';
import type { TransactionRecord, TransactionStatus } from '../domain/transaction-record.js';
import type { Page, PageQuery, TransactionStore } from '../ports/transaction-store.js';
import { LIVE } from './history-tables.js';

const COLUMNS =
  't.id, t.agent_id, t.revision, t.action, t.status, t.asset, t.amount, t.decimals, t.recipient, t.signature, t.metadata, t.created_at';

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
  readonly metadata: string;
  readonly created_at: Date;
}

/** A row of a page; a page without records has one row that has the total alone. */
type PageRow = Row & { readonly total: string } & { readonly id: string | null };

/** The tables `transactions`, `transaction_counts` and `page_anchors`, read by one statement a question. */
export class PostgresTransactionStore implements TransactionStore {
  constructor(private readonly database: Database) {}

  async page({ agentId, action, limit, offset }: PageQuery): Promise<Page> {
    const statement = action === undefined ? PAGE_OF_ALL : PAGE_OF_ACTION;
    const rows = await this.read<PageRow>({ ...statement, values: [agentId, action ?? '', limit, offset] });
    return { records: rows.filter(({ id }) => id !== null).map(toRecord), total: Number(rows[0]?.total ?? 0) };
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

/**
 * One statement, so that total and page are of one snapshot. The newest `offset` records are skipped: from the first
 * mark that has no record of the page before it, or from the newest record where there is no such mark. So at most a
 * few hundred rows are passed over, wherever the page is.
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

function toRecord({ agent_id, metadata, created_at, ...row }: Row): TransactionRecord {
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
    metadataJson: metadata,
    createdAtMs: created_at.getTime(),
  };
}
