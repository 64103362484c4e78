import { auditV1 } from '@agent-wallet/contracts';
import type { EventRecord } from '@agent-wallet/events';
import { newId } from '@agent-wallet/kernel';
import { silent } from '@agent-wallet/platform/testing';
import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { checkLists } from '../src/adapters/check-lists.js';
import { PostgresEventStore } from '../src/adapters/postgres-event-store.js';
import { PostgresRebuildStore } from '../src/adapters/postgres-rebuild-store.js';
import { PostgresTransactionStore } from '../src/adapters/postgres-transaction-store.js';
import { RebuildHistory } from '../src/application/rebuild-history.js';
import { RecordEvents } from '../src/application/record-events.js';
import type { Difference, RebuildStore } from '../src/ports/rebuild-store.js';
import { openTestStore, operationEvent, settledEvent, type TestStore } from './support.js';

const { OPERATION_STATUS_CONFIRMED, OPERATION_STATUS_DROPPED } = auditV1.OperationStatus;
const ACTIONS = ['transfer', 'trade', 'deposit'];

let store: TestStore;
let recording: RecordEvents;
let index: PostgresTransactionStore;
const agents = [newId(), newId(), newId()];

beforeEach(async () => {
  store = await openTestStore();
  recording = new RecordEvents(new PostgresEventStore(store.history), silent);
  index = new PostgresTransactionStore(store.history);
});
afterEach(() => store.close());

/** Operations of a long list and of two others, with everything that can happen to them, in batches of the stream. */
function lives(count: number, seed = 0): EventRecord[] {
  return Array.from({ length: count }, (_, i) => {
    const agentId = agents[i % 10 === 0 ? 1 : i % 17 === 0 ? 2 : 0]!;
    const operationId = newId();
    const createdAtMs = 1_700_000_000_000n + BigInt((seed + i) * 3 - (i % 7) * 40);
    const change = (revision: number, status: auditV1.OperationStatus) =>
      operationEvent(agentId, {
        operationId,
        revision,
        status,
        action: ACTIONS[i % ACTIONS.length]!,
        createdAtMs: createdAtMs + BigInt(revision),
      });
    const ends = [change(1, auditV1.OperationStatus.OPERATION_STATUS_PENDING), change(2, OPERATION_STATUS_CONFIRMED)];
    if (i % 5 === 0) ends.push(settledEvent(agentId, { operationId, step: 1, value: BigInt(i) }));
    if (i % 11 === 0) ends.push(change(3, OPERATION_STATUS_DROPPED));
    if (i % 33 === 0) ends.push(change(4, OPERATION_STATUS_CONFIRMED));
    return ends;
  }).flat();
}

async function record(events: readonly EventRecord[]): Promise<void> {
  for (let i = 0; i < events.length; i += 300) await recording.execute(events.slice(i, i + 300));
}

const rebuildOf = () => new PostgresRebuildStore(store.history);
const run = (options: { isDryRun?: boolean; isFresh?: boolean } = {}, rebuild: RebuildStore = rebuildOf()) =>
  new RebuildHistory(rebuild).execute({ isDryRun: false, isFresh: false, report: () => {}, ...options });

/** All that agents can see, and what is kept beside it. */
const everything = async () => ({
  transactions: await store.rows('select * from transactions order by id'),
  dropped: await store.rows('select * from dropped_transactions order by id'),
  settled: await store.rows('select * from settled_values order by id'),
  counts: await store.rows('select * from transaction_counts where total > 0 order by agent_id, action'),
});
const tables = async () =>
  (
    await store.rows<{ name: string }>(
      `select c.relname as name from pg_class c join pg_namespace n on n.oid = c.relnamespace
     where n.nspname = current_schema() and c.relkind in ('r', 'i') order by 1`,
    )
  ).map(({ name }) => name);
const options = () =>
  store.rows(
    `select relname, reloptions from pg_class where relname in ('transactions', 'transaction_counts') order by 1`,
  );

describe('a rebuild', () => {
  it('comes to exactly what was there, names and settings of tables and indexes included', async () => {
    await record(lives(900));
    const before = [await everything(), await tables(), await options()];
    await run();
    expect([await everything(), await tables(), await options()]).toEqual(before);
    expect(await checkLists(store.history.pool)).toEqual([]);
  });

  it('while events come and agents read misses nothing, and no reader sees an error or half of it', async () => {
    await record(lives(2_000));
    let isOver = false;
    const writing = (async () => {
      for (let n = 0; !isOver; n += 1) await record(lives(40, 2_000 + 40 * n));
    })();
    const reading = [undefined, 'trade'].map(async (action) => {
      for (let total = 0; !isOver;) {
        const page = await index.page({ agentId: agents[0]!, action, limit: 100, offset: 500 });
        expect(page.records).toHaveLength(Math.min(100, Math.max(0, page.total - 500)));
        // some are dropped, one batch at a time
        expect(page.total).toBeGreaterThan(total - 100);
        total = page.total;
      }
    });
    try {
      for (let n = 0; n < 3; n += 1) await run();
    } finally {
      isOver = true;
      await Promise.all([writing, ...reading]);
    }
    expect(await checkLists(store.history.pool)).toEqual([]);
    expect(await run({ isDryRun: true })).toEqual([]);
  });

  it('that is killed leaves what agents read alone; the next one goes on where it was', async () => {
    await record(lives(3_000));
    const before = await everything();
    const dying = rebuildOf();
    const take = dying.take.bind(dying);
    let calls = 0;
    dying.take = async (read) => {
      calls += 1;
      if (calls === 2) {
        // Like kill -9: every connection of this process is cut in the middle of a batch.
        const cut = store.rows(
          `select pg_terminate_backend(pid) from pg_stat_activity
           where datname = current_database() and pid <> pg_backend_pid()`,
        );
        await Promise.allSettled([cut, take(read)]);
        throw new Error('killed');
      }
      return take(read);
    };
    await expect(run({}, dying)).rejects.toThrow('killed');
    const lines: string[] = [];
    await new RebuildHistory(rebuildOf()).execute({
      isDryRun: false,
      isFresh: false,
      report: (line) => lines.push(line),
    });
    expect(lines[0]).toMatch(/^going on after (2000|4000) of \d+ events$/);
    expect(await everything()).toEqual(before);
    expect(await checkLists(store.history.pool)).toEqual([]);
  });

  it('tells what was changed by hand, and repairs it', async () => {
    await record(lives(900));
    const before = await everything();
    // Of others than the agent whose counts are changed: two changes could cancel each other out.
    const [changed, removed] = await store.rows<{ id: string }>(
      'select id from transactions where agent_id <> $1 order by id limit 2',
      agents[2],
    );
    const stranger = newId();
    await store.rows(`update transactions set amount = 1 where id = $1`, changed!.id);
    await store.rows(`delete from transactions where id = $1`, removed!.id);
    await store.rows(
      `insert into transactions select $1, agent_id, revision, action, status, shown_status, asset, amount, decimals, recipient,
         signature, facts, escrowed, returned, search_text, created_at, updated_at from transactions where agent_id <> $2 limit 1`,
      stranger,
      agents[2],
    );
    await store.rows(
      'update transaction_counts set total = total + 1 where agent_id = $1 and action = $2',
      agents[2],
      '',
    );
    await store.rows('update page_anchors set before = before + 1');
    await store.rows('delete from dropped_transactions');
    const damaged = await everything();
    const found = await run({ isDryRun: true });
    const rows = (table: string) => found.filter((difference: Difference) => difference.table === table);
    expect(rows('transactions').sort((a, b) => (a.problem < b.problem ? -1 : 1))).toEqual([
      { table: 'transactions', row: removed!.id, problem: 'is missing' },
      { table: 'transactions', row: changed!.id, problem: 'is not as in the log' },
      { table: 'transactions', row: stranger, problem: 'is not in the log' },
    ]);
    expect(rows('transaction_counts').map(({ row }) => row)).toContain(`${agents[2]} all`);
    expect(rows('dropped_transactions').length).toBeGreaterThan(10);
    expect(await everything()).toEqual(damaged);
    await run();
    expect(await everything()).toEqual(before);
    expect(await run({ isDryRun: true })).toEqual([]);
  });

  it('starts from the beginning when isFresh is set', async () => {
    await record(lives(100));
    const before = await everything();
    const wrong = rebuildOf();
    await wrong.open(false);
    await wrong.take(() => ({ record: undefined }));
    await wrong.close();
    await run({ isFresh: true });
    expect(await everything()).toEqual(before);
  });

  it('is refused while another one runs', async () => {
    const first = rebuildOf();
    await first.open(false);
    await expect(run({}, new PostgresRebuildStore(store.history, 100))).rejects.toThrow('lock timeout');
    await first.close();
    await run();
  });
});
