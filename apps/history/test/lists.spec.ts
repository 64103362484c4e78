import { newId } from '@agent-wallet/kernel';
import { propertyRuns } from '@agent-wallet/testing';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import { checkLists } from '../src/adapters/check-lists.js';
import { writeLatest } from '../src/adapters/write-records.js';
import { PostgresTransactionStore } from '../src/adapters/postgres-transaction-store.js';
import type { TransactionRecord } from '../src/domain/transaction-record.js';
import { latestRevisions } from '../src/domain/transaction-record.js';
import { openTestStore, type TestStore } from './support.js';

let store: TestStore;
let index: PostgresTransactionStore;

beforeAll(async () => {
  store = await openTestStore();
  index = new PostgresTransactionStore(store.history);
});
afterAll(() => store.close());

const ACTIONS = ['transfer', 'trade', 'deposit'];

/** What the tables must come to, in the simplest way: an agent's records by id, those that are dropped among them. */
class NaiveHistory {
  private readonly records = new Map<string, TransactionRecord>();

  take(record: TransactionRecord): void {
    const known = this.records.get(record.id);
    if (known && (known.agentId !== record.agentId || known.revision >= record.revision)) return;
    this.records.set(record.id, known ? { ...record, createdAtMs: known.createdAtMs } : record);
  }

  list(agentId: string, action: string | undefined): TransactionRecord[] {
    return [...this.records.values()]
      .filter((record) => record.agentId === agentId && record.status !== 'dropped')
      .filter((record) => action === undefined || record.action === action)
      .sort((a, b) => b.createdAtMs - a.createdAtMs || (a.id < b.id ? 1 : -1));
  }
}

function recordOf(change: Partial<TransactionRecord> & Pick<TransactionRecord, 'id' | 'agentId'>): TransactionRecord {
  return {
    revision: 1,
    action: 'transfer',
    status: 'confirmed',
    shownStatus: 'confirmed',
    asset: 'USDC',
    amount: 1n,
    decimals: 6,
    recipient: '',
    signature: '',
    facts: new Uint8Array(),
    searchText: '',
    createdAtMs: 1_700_000_000_000,
    updatedAtMs: 1_700_000_000_000,
    ...change,
  };
}

const keep = (records: readonly TransactionRecord[]) =>
  store.history.transaction((tx) => writeLatest(tx, latestRevisions(records)));

/** All pages of a list, each of them with its total. */
async function read(agentId: string, action: string | undefined, limit = 100) {
  const ids: string[] = [];
  for (let offset = 0; ; offset += limit) {
    const { records, total } = await index.page({ agentId, action, limit, offset });
    ids.push(...records.map(({ id }) => id));
    expect(records).toHaveLength(Math.max(0, Math.min(limit, total - offset)));
    if (records.length < limit) return { ids, total };
  }
}

async function expectExact(naive: NaiveHistory, agents: readonly string[]): Promise<void> {
  expect(await checkLists(store.history.pool)).toEqual([]);
  for (const agentId of agents) {
    for (const action of [undefined, ...ACTIONS, 'nonsense']) {
      const ids = naive.list(agentId, action).map(({ id }) => id);
      expect(await read(agentId, action)).toEqual({ ids, total: ids.length });
    }
  }
}

/** A batch: how many records, where in time they are, and what happens to some that there are. */
interface Step {
  readonly kind: 'new' | 'late' | 'same' | 'drop' | 'dropOld' | 'return' | 'relabel';
  readonly count: number;
  readonly agent: number;
}

const step = fc.record<Step>({
  kind: fc.constantFrom('new', 'new', 'new', 'late', 'same', 'drop', 'dropOld', 'return', 'relabel'),
  count: fc.integer({ min: 1, max: 420 }),
  agent: fc.integer({ min: 0, max: 1 }),
});

/** Plays a step, on records whose revisions rise. */
class Play {
  readonly agents = [newId(), newId()];
  private readonly known: string[][] = [[], []];
  private revision = 1;
  private now = 1_700_000_000_000;

  batch({ kind, count, agent }: Step): TransactionRecord[] {
    this.revision += 1;
    const agentId = this.agents[agent]!;
    const known = this.known[agent]!;
    const status = kind === 'drop' || kind === 'dropOld' ? 'dropped' : 'confirmed';
    const chosen = {
      new: () => this.added(known, count),
      late: () => this.added(known, count),
      same: () => this.added(known, count),
      drop: () => known.slice(-count),
      dropOld: () => known.slice(0, count),
      return: () => known.filter((_, i) => i % 3 === this.revision % 3),
      relabel: () => known.filter((_, i) => i % 5 === this.revision % 5),
    }[kind]();
    return chosen.map((id, i) => {
      this.now += kind === 'new' ? 10 : 0;
      const createdAtMs = kind === 'late' ? 1_700_000_000_000 + ((i * 7919) % 10_000) : this.now;
      const action = ACTIONS[(i + (kind === 'relabel' ? this.revision : 0)) % ACTIONS.length]!;
      return recordOf({ id, agentId, revision: this.revision, status, action, createdAtMs });
    });
  }

  private added(known: string[], count: number): string[] {
    const ids = Array.from({ length: count }, () => newId());
    known.push(...ids);
    return ids;
  }
}

describe('lists', () => {
  it('are counted and marked exactly through any sequence of new, dropped, returning and changed records', async () => {
    await fc.assert(
      fc.asyncProperty(fc.array(step, { minLength: 4, maxLength: 9 }), async (steps) => {
        const play = new Play();
        const naive = new NaiveHistory();
        for (const each of steps) {
          const batch = play.batch(each);
          batch.forEach((record) => naive.take(record));
          await keep(batch);
          expect(await checkLists(store.history.pool)).toEqual([]);
        }
        await expectExact(naive, play.agents);
      }),
      { numRuns: propertyRuns(25), endOnFailure: true },
    );
  });

  it.each([0, 1, 249, 250, 499, 500, 501, 1_000])('of %i records end where they end', async (count) => {
    const agentId = newId();
    const createdAtMs = 1_700_000_000_000;
    const records = Array.from({ length: count }, (_, i) =>
      recordOf({ id: newId(), agentId, createdAtMs: createdAtMs + i }),
    );
    await keep(records);
    const page = async (offset: number, limit = 100) => {
      const found = await index.page({ agentId, action: 'transfer', limit, offset });
      return [found.total, found.records.map(({ id }) => id)];
    };
    const newest = records.map(({ id }) => id).reverse();
    for (const offset of [0, 1, count - 1, count, count + 1, 2 ** 31 - 1].filter((n) => n >= 0)) {
      expect(await page(offset)).toEqual([count, newest.slice(offset, offset + 100)]);
      expect(await page(offset, 1)).toEqual([count, newest.slice(offset, offset + 1)]);
    }
    expect(await checkLists(store.history.pool)).toEqual([]);
  });

  it('are recounted by count_transactions to the same numbers', async () => {
    const counts = () => store.rows('select * from transaction_counts where total > 0 order by agent_id, action');
    const before = await counts();
    await store.rows('select count_transactions()');
    expect(await counts()).toEqual(before);
    expect(await checkLists(store.history.pool)).toEqual([]);
  });
});
