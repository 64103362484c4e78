import { newId } from '@agent-wallet/kernel';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import { writeLatest } from '../src/adapters/write-records.js';
import { PostgresTransactionStore } from '../src/adapters/postgres-transaction-store.js';
import { ListTransactions } from '../src/application/list-transactions.js';
import type { TransactionRecord } from '../src/domain/transaction-record.js';
import { openTestStore, type TestStore } from './support.js';

/** Less than an agent's records below, so that pages end within a list. */
const SEARCHED_COUNT = 170;
const START_MS = 1_700_000_000_000;
const STATUSES = ['confirmed', 'confirmed', 'confirmed', 'failed', 'cancelled'] as const;
const ACTIONS = ['transfer', 'trade'];
const RECIPIENTS = ['', 'alice', 'alice', 'bob'];
const TEXTS = ['usdc', 'usdc\nrent for may', 'sol\nfor tea', 'usdc\nkxfed-26'];

let store: TestStore;
let listing: ListTransactions;
let records: readonly TransactionRecord[];
const agentId = newId();

beforeAll(async () => {
  store = await openTestStore();
  const noChain = { after: () => Promise.reject(new Error('reads no chain')) };
  listing = new ListTransactions(new PostgresTransactionStore(store.history, SEARCHED_COUNT), noChain);
  records = randomRecords(900);
  const others = records.slice(0, 100).map((record) => ({ ...record, id: newId(), agentId: newId() }));
  await store.history.transaction((tx) => writeLatest(tx, [...records, ...others]));
});
afterAll(() => store.close());

/** Records with a fixed seed, several of them within a millisecond; enough for anchors in every list. */
function randomRecords(count: number): TransactionRecord[] {
  const pick = <Value>(values: readonly Value[]) => fc.constantFrom(...values);
  const random = fc.record({
    id: fc.uuid({ version: 7 }),
    action: pick(ACTIONS),
    shownStatus: pick(STATUSES),
    recipient: pick(RECIPIENTS),
    searchText: pick(TEXTS),
    // Spread evenly: with a bias, half of them would be at the ends.
    createdAtMs: fc.noBias(fc.integer({ min: START_MS, max: START_MS + 400 })),
  });
  const constant = { revision: 1, status: 'confirmed', asset: 'USDC', amount: 1n, decimals: 6, signature: '' } as const;
  const rest = { ...constant, agentId, facts: new Uint8Array(), updatedAtMs: START_MS };
  return fc.sample(random, { numRuns: count, seed: 42 }).map((record) => ({ ...rest, ...record }));
}

/** A condition of each kind; undefined or '' for none. */
const NO_FILTER = { fromMs: undefined, toMs: undefined, status: '', recipient: '', search: '' };
type Query = Omit<typeof NO_FILTER, 'fromMs' | 'toMs'> & {
  readonly fromMs: number | undefined;
  readonly toMs: number | undefined;
  readonly action: string | undefined;
};

/** Returns the ids that match, the newest first, in the simplest way. */
function filterNaively(query: Query): string[] {
  const { fromMs = 0, toMs = Infinity, action, status, recipient, search } = query;
  const words = search.toLowerCase().split(' ');
  return records
    .filter((record) => record.createdAtMs >= fromMs && record.createdAtMs < toMs)
    .filter((record) => action === undefined || record.action === action)
    .filter((record) => status === '' || record.shownStatus === status)
    .filter((record) => recipient === '' || record.recipient === recipient)
    .filter((record) => words.every((word) => record.searchText.includes(word)))
    .toSorted((a, b) => b.createdAtMs - a.createdAtMs || (a.id < b.id ? 1 : -1))
    .map(({ id }) => id);
}

const list = ({ action, ...filter }: Query, page: Partial<Parameters<ListTransactions['execute']>[0]> = {}) =>
  listing.execute({ agentId, action, limit: 100, offset: 0, cursor: '', isByChange: false, filter, ...page });

/** Reads all pages by cursor. */
async function readAll(query: Query, limit: number) {
  const ids: string[] = [];
  const totals = new Set<number>();
  let isPartial = false;
  for (let cursor: string | undefined; cursor !== '';) {
    const page = await list(query, { limit, cursor: cursor ?? '' });
    expect(page.records.length).toBeLessThanOrEqual(limit);
    expect(page.hasMore).toBe(page.nextCursor !== '');
    ids.push(...page.records.map(({ id }) => id));
    totals.add(page.total);
    isPartial ||= page.isTotalPartial;
    cursor = page.nextCursor;
  }
  return { ids, totals: [...totals], isPartial };
}

const time = fc.option(fc.integer({ min: START_MS - 10, max: START_MS + 410 }), { nil: undefined });
const query: fc.Arbitrary<Query> = fc
  .record({
    ...{ fromMs: time, toMs: time },
    action: fc.constantFrom(undefined, ...ACTIONS),
    status: fc.constantFrom('', '', 'failed', 'cancelled', 'confirmed'),
    recipient: fc.constantFrom('', '', 'alice', 'bob', 'carol'),
    search: fc.constantFrom('', '', 'Rent', 'for MAY', 'may for', 'USDC', 'nothing'),
  })
  .filter(({ fromMs, toMs }) => fromMs === undefined || toMs === undefined || fromMs < toMs);

describe('a filtered list', () => {
  it('has the records of a plain filter, on the pages of any size', async () => {
    await fc.assert(
      fc.asyncProperty(query, fc.integer({ min: 20, max: 100 }), async (each, limit) => {
        const expected = filterNaively(each);
        const { ids, totals, isPartial } = await readAll(each, limit);
        expect(ids).toEqual(expected);
        expect(totals).toHaveLength(1);
        if (isPartial) expect(totals[0]).toBeLessThanOrEqual(expected.length);
        else expect(totals).toEqual([expected.length]);
      }),
      { numRuns: 60, seed: 7, endOnFailure: true },
    );
  });

  it('of a time is counted exactly, and skips by offset what a plain filter skips', async () => {
    const each = { ...NO_FILTER, action: undefined, fromMs: START_MS + 20, toMs: START_MS + 380 };
    const expected = filterNaively(each);
    for (const action of [undefined, 'trade']) {
      const matching = filterNaively({ ...each, action });
      for (const offset of [0, 1, 249, matching.length - 1, matching.length, matching.length + 1]) {
        const page = await list({ ...each, action }, { offset });
        expect(page.records.map(({ id }) => id)).toEqual(matching.slice(offset, offset + 100));
        expect([page.total, page.isTotalPartial]).toEqual([matching.length, false]);
      }
    }
    expect(expected.length).toBeGreaterThan(750);
  });

  it('that is short takes an offset; one that is longer than a search reads refuses it', async () => {
    const short = { ...NO_FILTER, action: undefined, status: 'failed', fromMs: START_MS, toMs: START_MS + 50 };
    const page = await list(short, { offset: 3 });
    expect(page.records.map(({ id }) => id)).toEqual(filterNaively(short).slice(3));
    const long = list({ ...NO_FILTER, action: undefined, search: 'rent' }, { offset: 800 });
    await expect(long).rejects.toMatchObject({ code: 'VALIDATION_ERROR', details: [{ field: 'offset' }] });
  });

  it.each([
    ['to', { fromMs: 2, toMs: 2 }],
    ['from', { fromMs: -1 }],
    ['status', { status: 'dropped' }],
    ['search', { search: 'x'.repeat(65) }],
    ['recipient', { recipient: 'x'.repeat(65) }],
  ])('is refused for a wrong %s', async (field, wrong) => {
    const refused = list({ ...NO_FILTER, action: undefined, ...wrong });
    await expect(refused).rejects.toMatchObject({ code: 'VALIDATION_ERROR', details: [{ field }] });
  });

  it('is refused in the order of recording', async () => {
    const refused = list({ ...NO_FILTER, action: undefined }, { isByChange: true });
    await expect(refused).rejects.toMatchObject({ code: 'VALIDATION_ERROR', details: [{ field: 'filter' }] });
  });
});
