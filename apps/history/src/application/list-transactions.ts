import { AppError, assertUuid, invalidCursor } from '@agent-wallet/kernel';
import { isShownStatus, type ValuedRecord } from '../domain/transaction-record.js';
import type { EventChainStore } from '../ports/event-chain-store.js';
import type { TransactionFilter, TransactionStore } from '../ports/transaction-store.js';
import { readCursor, writeCursor } from './page-cursor.js';
import { readEvent } from './read-event.js';
import { toSearchForm } from './shown-facts.js';

const MAX_LIMIT = 100;
const MAX_OFFSET = 2 ** 31 - 1;
const MAX_SEARCH_LENGTH = 64;
const MAX_RECIPIENT_LENGTH = 64;
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
  /** Conditions on the records; undefined by latest change. */
  readonly filter?: RequestedFilter | undefined;
}

/** Filters of a request. An empty text sets no filter. */
interface RequestedFilter {
  readonly fromMs: number | undefined;
  readonly toMs: number | undefined;
  readonly status: string;
  readonly recipient: string;
  /** Words that are in the memo, ticker or symbols of a record, all of them. */
  readonly search: string;
}

/** A page of records. */
interface ListedPage {
  readonly records: readonly ValuedRecord[];
  /** All records that match. */
  readonly total: number;
  /** Whether more may match than `total` says. */
  readonly isTotalPartial: boolean;
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
    if (query.isByChange && query.filter)
      throw AppError.field('filter', 'cannot be combined with the order of recording');
    return query.isByChange ? this.#byChange(query) : this.#newestFirst(query);
  }

  async #newestFirst({ cursor, limit, ...query }: ListQuery): Promise<ListedPage> {
    const after = readCursor(cursor);
    if (after && !('id' in after)) throw invalidCursor();
    const filter = query.filter && readFilter(query.filter);
    const found = await this.transactions.page({ ...query, limit: limit + 1, after, filter });
    const { records, total, isTotalPartial = false, end } = found;
    const page = records.slice(0, limit);
    const last = records.length > limit ? page.at(-1) : end;
    if (last && last === end && query.offset > 0) throw AppError.field('offset', OFFSET_TOO_FAR);
    return { records: page, total, isTotalPartial, hasMore: !!last, nextCursor: last ? writeCursor(last) : '' };
  }

  /**
   * Follows the agent's events, so that a record which appears late is not missed. A record of the page is shown as it
   * is now, once; its later changes bring it again. One that the chain has undone is shown as dropped.
   */
  async #byChange({ agentId, action, cursor, limit }: ListQuery): Promise<ListedPage> {
    const after = readCursor(cursor) ?? { sequence: 0 };
    if (!('sequence' in after)) throw invalidCursor();
    const events = await this.chain.after(agentId, after.sequence, EVENTS_PER_PAGE + 1);
    const changed = new Map<string, ValuedRecord>();
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
      isTotalPartial: false,
      hasMore: sequence !== (events.at(-1)?.sequence ?? after.sequence),
      nextCursor: writeCursor({ sequence }),
    };
  }
}

const OFFSET_TOO_FAR =
  'reaches past the records that one request reads for this filter. Use the cursor of the previous page, or a shorter time.';

/** @throws AppError VALIDATION_ERROR */
function readFilter({ fromMs, toMs, status, recipient, search }: RequestedFilter): TransactionFilter {
  for (const [field, time] of Object.entries({ from: fromMs, to: toMs })) {
    if (time !== undefined) checkInteger(field, time, { min: 0, max: MAX_TIME_MS });
  }
  if (fromMs !== undefined && toMs !== undefined && fromMs >= toMs)
    throw AppError.field('to', 'must be later than from');
  if (recipient.length > MAX_RECIPIENT_LENGTH || recipient.includes('\0')) {
    throw AppError.field('recipient', 'must be a wallet address');
  }
  if (search.length > MAX_SEARCH_LENGTH) {
    throw AppError.field('search', `must have at most ${MAX_SEARCH_LENGTH} characters`);
  }
  const words = toSearchForm(search)
    .split(/\s+/)
    .filter((word) => word !== '');
  if (status !== '' && !isShownStatus(status)) throw AppError.field('status', 'is not a status of a record');
  return {
    fromMs,
    toMs,
    status: status === '' ? undefined : status,
    recipient: recipient || undefined,
    words: words.length > 0 ? words : undefined,
  };
}

/** The year 9999, which dates in ISO 8601 reach. */
const MAX_TIME_MS = Date.parse('9999-12-31T23:59:59.999Z');

function checkInteger(field: string, value: number, { min, max }: { min: number; max: number }): void {
  if (!Number.isInteger(value) || value < min || value > max) {
    throw AppError.field(field, `must be an integer from ${min} to ${max}`);
  }
}
