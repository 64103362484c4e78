import { type Database, databaseError } from '@agent-wallet/platform';
import { NIL_UUID } from '@agent-wallet/kernel';
import type { ValuedRecord } from '../domain/transaction-record.js';
import type { Page, PageQuery, Place, TransactionFilter, TransactionStore } from '../ports/transaction-store.js';
import { timestamp } from './sql-values.js';
import { LIVE } from './history-tables.js';
import { selectValue } from './settled-values.js';
import { COLUMNS, type Row, toRecord } from './transaction-rows.js';
import { rangedNextStatement, rangedPageStatement, searchStatement } from './filtered-pages.js';

/** A row of a page; a page without records has one row that has the total alone. */
type PageRow = Row & { readonly total: string; readonly id: string | null };

/** A row of a search, with the last record that was read. */
type SearchRow = PageRow & {
  readonly is_partial: boolean;
  readonly end_at: Date | null;
  readonly end_id: string | null;
};

/** Records that a search reads at most: some ten milliseconds of work. */
const SEARCHED_COUNT = 5_000;

/** The tables `transactions`, `transaction_counts` and `page_anchors`, read by one statement a question. */
export class PostgresTransactionStore implements TransactionStore {
  constructor(
    private readonly database: Database,
    private readonly searchedCount = SEARCHED_COUNT,
  ) {}

  page(query: PageQuery): Promise<Page> {
    const { status, recipient, words, fromMs, toMs } = query.filter ?? {};
    if (status ?? recipient ?? words) return this.#search(query);
    return fromMs === undefined && toMs === undefined ? this.#page(query) : this.#rangedPage(query);
  }

  async #page({ agentId, action, limit, offset, after }: PageQuery): Promise<Page> {
    const list = [agentId, action ?? '', limit];
    const isOfAll = action === undefined;
    const rows = await (after
      ? this.read<PageRow>({
          ...(isOfAll ? NEXT_OF_ALL : NEXT_OF_ACTION),
          values: [...list, timestamp(after.createdAtMs), after.id],
        })
      : this.read<PageRow>({ ...(isOfAll ? PAGE_OF_ALL : PAGE_OF_ACTION), values: [...list, offset] }));
    return toPage(rows);
  }

  async #rangedPage({ agentId, action, limit, offset, after, filter = {} }: PageQuery): Promise<Page> {
    const values = [agentId, action ?? '', limit, ...rangeOf(filter)];
    const isOfAll = action === undefined;
    return toPage(
      await (after
        ? this.read<PageRow>({
            ...(isOfAll ? RANGED_NEXT_OF_ALL : RANGED_NEXT_OF_ACTION),
            values: [...values, ...startOf(filter, after)],
          })
        : this.read<PageRow>({ ...(isOfAll ? RANGED_OF_ALL : RANGED_OF_ACTION), values: [...values, offset] })),
    );
  }

  async #search({ agentId, action, limit, offset, after, filter = {} }: PageQuery): Promise<Page> {
    const { status = '', recipient = '', words = [] } = filter;
    const list = recipient ? SEARCH_OF_RECIPIENT : action === undefined ? SEARCH_OF_ALL : SEARCH_OF_ACTION;
    const conditions = [...rangeOf(filter), status, recipient, words];
    const page = [...startOf(filter, after), offset, this.searchedCount];
    const rows = await this.read<SearchRow>({
      ...list,
      values: [agentId, action ?? '', limit, ...conditions, ...page],
    });
    const [first] = rows;
    const end = first?.end_at && first.end_id ? { createdAtMs: first.end_at.getTime(), id: first.end_id } : undefined;
    return { ...toPage(rows), isTotalPartial: first?.is_partial ?? false, end };
  }

  async all(agentId: string, ids: readonly string[]): Promise<ValuedRecord[]> {
    const text = `select ${COLUMNS}, ${selectValue('t')} as value from ${LIVE.transactions} t where id = any($2::uuid[]) and agent_id = $1`;
    const rows = await this.read<Row>({ name: 'transactions-by-id', text, values: [agentId, ids] });
    return rows.map(toRecord);
  }

  async total(agentId: string, action: string | undefined): Promise<number> {
    const text = `select total from ${LIVE.counts} where agent_id = $1 and action = $2`;
    const [row] = await this.read<PageRow>({ name: 'transactions-total', text, values: [agentId, action ?? ''] });
    return Number(row?.total ?? 0);
  }

  async find(agentId: string, id: string): Promise<ValuedRecord | undefined> {
    const text = `select ${COLUMNS}, ${selectValue('t')} as value from ${LIVE.transactions} t where id = $1 and agent_id = $2`;
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

const RANGED_OF_ALL = { name: 'ranged-page-of-all', text: rangedPageStatement('t.agent_id = $1') };
const RANGED_OF_ACTION = {
  name: 'ranged-page-of-action',
  text: rangedPageStatement('t.agent_id = $1 and t.action = $2'),
};

const RANGED_NEXT_OF_ALL = { name: 'ranged-next-of-all', text: rangedNextStatement('t.agent_id = $1') };
const RANGED_NEXT_OF_ACTION = {
  name: 'ranged-next-of-action',
  text: rangedNextStatement('t.agent_id = $1 and t.action = $2'),
};

const SEARCH_OF_ALL = { name: 'search-all', text: searchStatement(`t.agent_id = $1 and $7 = ''`) };
const SEARCH_OF_ACTION = {
  name: 'search-action',
  text: searchStatement(`t.agent_id = $1 and t.action = $2 and $7 = ''`),
};
// The index leaves out records without a recipient.
const SEARCH_OF_RECIPIENT = {
  name: 'search-recipient',
  text: searchStatement(`t.agent_id = $1 and t.recipient = $7 and t.recipient <> ''`),
};

function rangeOf({ fromMs, toMs }: TransactionFilter): [string, string] {
  return [fromMs === undefined ? '-infinity' : timestamp(fromMs), toMs === undefined ? 'infinity' : timestamp(toMs)];
}

/** Returns the place before which a page begins: the earlier of the filter's end and the cursor. */
function startOf({ toMs }: TransactionFilter, after: Place | undefined): [string, string] {
  if (after && (toMs === undefined || after.createdAtMs < toMs)) return [timestamp(after.createdAtMs), after.id];
  return [toMs === undefined ? 'infinity' : timestamp(toMs), NIL_UUID];
}

function toPage(rows: readonly PageRow[]): Page {
  return { records: rows.filter(({ id }) => id !== null).map(toRecord), total: Number(rows[0]?.total ?? 0) };
}

/** Selects the page after a record. An empty list may have no total. */
function nextStatement(inList: string): string {
  return `select c.total, p.*, ${selectValue('p')} as value from (select) one
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
          select s.total, p.*, ${selectValue('p')} as value from start s left join lateral (
            select ${COLUMNS} from ${LIVE.transactions} t
            where s.total > $4 and ${inList} and (t.created_at, t.id) < (s.created_at, s.id)
            order by t.created_at desc, t.id desc offset s.skip limit $3) p on true
          order by p.created_at desc, p.id desc`;
}
