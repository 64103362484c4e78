import { AppError, assertUuid, invalidCursor } from '@agent-wallet/kernel';
import type { TransactionRecord } from '../domain/transaction-record.js';
import type { EventChainStore } from '../ports/event-chain-store.js';
import type { TransactionStore } from '../ports/transaction-store.js';
import { readCursor, writeCursor } from './page-cursor.js';
import { readEvent } from './read-event.js';

const MAX_LIMIT = 100;
const MAX_OFFSET = 2 ** 31 - 1;
/** Most events of an agent are about its transactions, and a transaction has a few. */
const EVENTS_PER_PAGE = 500;

/** The records of an agent to list. */
interface ListQuery {
  readonly agentId: string;
  /** The action to list; undefined for all. */
  readonly action: string | undefined;
  readonly limit: number;
  /** Records to skip; 0 with a cursor. */
  readonly offset: number;
  /** Start of the page, as the previous page returned it; empty for the first. */
  readonly cursor: string;
  /** Whether to list by latest change, the oldest first, instead of the newest record first. */
  readonly isByChange: boolean;
}

/** A page of records. */
interface ListedPage {
  readonly records: readonly TransactionRecord[];
  /** All records that match. */
  readonly total: number;
  readonly hasMore: boolean;
  /** Empty after the last record; never empty by latest change. */
  readonly nextCursor: string;
}

/** One page of an agent's history. */
export class ListTransactions {
  constructor(
    private readonly transactions: TransactionStore,
    private readonly chain: Pick<EventChainStore, 'after'>,
  ) {}

  /** @throws AppError VALIDATION_ERROR, SERVICE_UNAVAILABLE */
  async execute(query: ListQuery): Promise<ListedPage> {
    assertUuid('agentId', query.agentId);
    checkInteger('limit', query.limit, { min: 1, max: MAX_LIMIT });
    checkInteger('offset', query.offset, { min: 0, max: MAX_OFFSET });
    // No action has such a name, and Postgres would refuse the text.
    if (query.action?.includes('\0')) throw AppError.field('action', 'must not contain a null character');
    return query.isByChange ? this.#byChange(query) : this.#newestFirst(query);
  }

  async #newestFirst({ cursor, limit, ...query }: ListQuery): Promise<ListedPage> {
    const after = readCursor(cursor);
    if (after && !('id' in after)) throw invalidCursor();
    const { records, total } = await this.transactions.page({ ...query, limit: limit + 1, after });
    const page = records.slice(0, limit);
    const hasMore = records.length > limit;
    return { records: page, total, hasMore, nextCursor: hasMore ? writeCursor(page.at(-1)!) : '' };
  }

  /**
   * Follows the agent's events, so that a record which appears late is not missed. A record of the page is shown as it
   * is now, once; its later changes bring it again. One that the chain has undone is shown as dropped.
   */
  async #byChange({ agentId, action, cursor, limit }: ListQuery): Promise<ListedPage> {
    const after = readCursor(cursor) ?? { sequence: 0 };
    if (!('sequence' in after)) throw invalidCursor();
    const events = await this.chain.after(agentId, after.sequence, EVENTS_PER_PAGE + 1);
    const changed = new Map<string, TransactionRecord>();
    let { sequence } = after;
    for (const event of events.slice(0, EVENTS_PER_PAGE)) {
      const { record } = readEvent(event);
      const isListed = record !== undefined && (action === undefined || record.action === action);
      if (isListed && changed.size === limit && !changed.has(record.id)) break;
      // Deleted first, so that it stands where its latest change does.
      if (isListed) {
        changed.delete(record.id);
        changed.set(record.id, record);
      }
      ({ sequence } = event);
    }
    const found = await this.transactions.all(agentId, [...changed.keys()]);
    const shown = new Map(found.map((record) => [record.id, record]));
    return {
      records: [...changed].flatMap(([id, last]) => shown.get(id) ?? (last.status === 'dropped' ? last : [])),
      total: await this.transactions.total(agentId, action),
      hasMore: sequence !== (events.at(-1)?.sequence ?? after.sequence),
      nextCursor: writeCursor({ sequence }),
    };
  }
}

function checkInteger(field: string, value: number, { min, max }: { min: number; max: number }): void {
  if (!Number.isInteger(value) || value < min || value > max) {
    throw AppError.field(field, `must be an integer from ${min} to ${max}`);
  }
}
