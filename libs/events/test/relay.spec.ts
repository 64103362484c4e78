import { systemClock } from '@agent-wallet/kernel';
import type { Database } from '@agent-wallet/platform';
import { eventually } from '@agent-wallet/testing';
import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import {
  createOutbox,
  createPostgresPublisher,
  type EventPublisher,
  type EventRecord,
  outboxWritten,
  type RelayOverrides,
  startRelay,
} from '../src/index.js';
import {
  fillOutbox,
  firstSeen,
  newId,
  numberedFact,
  numbersOf,
  openProducerAndLog,
  openSchema,
  openTestDatabase,
  outboxSize,
  silent,
  type TestDatabase,
} from './support.js';

const outbox = createOutbox('wallet', systemClock);
/** For relays that must not look by themselves. */
const NEVER_MS = 3_600_000;

let test: TestDatabase;
let producer: Database;
let log: Database;
const running: Array<{ stop(): Promise<void> }> = [];
const opened: Database[] = [];

beforeEach(async () => {
  test = await openTestDatabase();
  ({ producer, log } = await openProducerAndLog(test));
  opened.push(producer, log);
});

afterEach(async () => {
  await Promise.all(running.splice(0).map((r) => r.stop()));
  await Promise.all(opened.splice(0).map((database) => database.close()));
  await test.close();
});

/** The schema as another replica sees it. */
async function replica(): Promise<Database> {
  const database = await openSchema(test, 'producer');
  opened.push(database);
  return database;
}

function relay(publisher: EventPublisher, limits: RelayOverrides = {}, database = producer): void {
  running.push(startRelay(database, publisher, silent, limits));
}

/** Publishes nowhere, and remembers the batches. */
function collector() {
  const batches: EventRecord[][] = [];
  const publish = async (events: readonly EventRecord[]) => void batches.push([...events]);
  return { batches, publish, seen: () => batches.flat() };
}

async function write(agentId: string, ...numbers: number[]): Promise<void> {
  for (const n of numbers) await producer.transaction((tx) => outbox.write(tx, agentId, numberedFact(n)));
}

async function published(): Promise<EventRecord[]> {
  const { rows } = await log.pool.query<{ event_id: string; agent_id: string; payload: Buffer }>(
    'select event_id, agent_id, payload from log order by position',
  );
  return rows.map((row) => ({ eventId: row.event_id, agentId: row.agent_id, payload: row.payload }));
}

const range = (count: number) => Array.from({ length: count }, (_, n) => n);

describe('a batch of a relay', () => {
  it('has at most 500 events', async () => {
    await fillOutbox(
      producer,
      range(1_001).map(() => 1),
    );
    const { batches, publish } = collector();
    relay({ publish });
    await eventually(async () => (await outboxSize(producer)) === 0);
    expect(batches.map((events) => events.length)).toEqual([500, 500, 1]);
  });

  it('has at most 1 MiB of payloads, or one event that is larger', async () => {
    const half = 524_288;
    await fillOutbox(producer, [half, half, half, half + 1, 3 * half, 10, half]);
    const { batches, publish } = collector();
    relay({ publish });
    await eventually(async () => (await outboxSize(producer)) === 0);
    const sizes = batches.map((events) => events.map(({ payload }) => payload.length));
    expect(sizes).toEqual([[half, half], [half], [half + 1], [3 * half], [10, half]]);
  });

  it('is awaited before the next one is published, by all replicas together', async () => {
    let underWay = 0;
    let most = 0;
    const { batches, publish } = collector();
    const slow: EventPublisher = {
      publish: async (events) => {
        most = Math.max(most, (underWay += 1));
        await new Promise((resolve) => setTimeout(resolve, 20));
        await publish(events);
        underWay -= 1;
      },
    };
    for (const database of [producer, await replica(), await replica()]) relay(slow, { idleMs: 5 }, database);
    await write(newId(), ...range(60));
    await eventually(async () => (await outboxSize(producer)) === 0);
    expect(most).toBe(1);
    expect(batches.length).toBeGreaterThan(1);
    expect(new Set(batches.flat().map(({ eventId }) => eventId)).size).toBe(60);
  });
});

describe('a relay', () => {
  it.each([
    ['a transaction', (agentId: string) => write(agentId, 1)],
    [
      'a statement of a pool',
      async (agentId: string) => {
        await outbox.write(producer.pool, agentId, numberedFact(1));
      },
    ],
    [
      'many facts',
      (agentId: string) => producer.transaction((tx) => outbox.writeAll(tx, [{ agentId, fact: numberedFact(1) }])),
    ],
    [
      'a statement that brings its own event',
      async () => {
        await fillOutbox(producer, [1]);
        outboxWritten(producer.pool);
      },
    ],
  ])('is woken by the commit of %s', async (_, writing) => {
    const { seen, publish } = collector();
    await fillOutbox(producer, [1]);
    relay({ publish }, { idleMs: NEVER_MS });
    await eventually(async () => (await outboxSize(producer)) === 0);
    await writing(newId());
    await eventually(() => seen().length === 2);
  });

  it('sees what was written while it published, without being woken for it', async () => {
    const other = await replica();
    const { seen, publish } = collector();
    relay(
      {
        publish: async (events) => {
          if (seen().length === 0) await other.transaction((tx) => outbox.write(tx, newId(), numberedFact(2)));
          await publish(events);
        },
      },
      { idleMs: NEVER_MS },
    );
    await write(newId(), 1);
    await eventually(() => seen().length === 2);
  });

  it('goes on by itself after the database was away', async () => {
    const { seen, publish } = collector();
    relay({ publish });
    await write(newId(), 1);
    await eventually(() => seen().length === 1);
    await log.pool.query(
      `select pg_terminate_backend(pid) from pg_stat_activity
       where datname = current_database() and application_name = 'producer'`,
    );
    const agentId = newId();
    await eventually(() =>
      write(agentId, 2).then(
        () => true,
        () => false,
      ),
    );
    await eventually(() => numbersOf(seen(), agentId).length > 0);
  });

  it('gives up a batch that takes too long, and publishes nothing more until that one has ended', async () => {
    let release = () => {};
    let calls = 0;
    const real = createPostgresPublisher(producer);
    const stuck: EventPublisher = {
      publish: async (events) => {
        calls += 1;
        if (calls === 1) await new Promise<void>((resolve) => (release = resolve));
        await real.publish(events);
      },
    };
    relay(stuck, { publishWithinMs: 30, idleMs: 5 });
    const agentId = newId();
    await write(agentId, 1);
    await eventually(() => calls === 1);
    // It lets go of its transaction, so that the row is free for another replica.
    const free = () =>
      producer.pool.query('select from outbox for update nowait').then(({ rowCount }) => rowCount === 1);
    await eventually(() => free().catch(() => false));
    await write(agentId, 2);
    expect(calls).toBe(1);
    release();
    await eventually(async () => (await outboxSize(producer)) === 0);
    expect(numbersOf(await published(), agentId)).toEqual([1, 2]);
  });
});

describe('two relays of one outbox', () => {
  it('keep the order of each agent while one after the other dies between publishing and deleting', async () => {
    const agents = range(4).map(newId);
    const seen: EventRecord[] = [];
    let calls = 0;
    let deaths = 0;
    const dying = (database: Database): EventPublisher => {
      const real = createPostgresPublisher(log);
      return {
        publish: async (events) => {
          await real.publish(events);
          seen.push(...events);
          if ((calls += 1) % 3 !== 0) return;
          deaths += 1;
          // What a death leaves: the events are out, and the transaction is undone with its lock.
          await log.pool.query(
            `select pg_terminate_backend(pid) from pg_stat_activity
             where datname = current_database() and application_name = 'producer' and state = 'idle in transaction'
               and query like '%from outbox%'`,
          );
          await database.pool.query('select 1');
        },
      };
    };
    const [first, second] = [await replica(), await replica()];
    relay(dying(first), { idleMs: 5 }, first);
    relay(dying(second), { idleMs: 5 }, second);
    for (const n of range(30)) {
      for (const agentId of agents) await write(agentId, n);
    }
    await eventually(async () => (await outboxSize(producer)) === 0);
    expect(deaths).toBeGreaterThan(0);
    expect(seen.length).toBeGreaterThan(120);
    for (const events of [firstSeen(seen), await published()]) {
      for (const agentId of agents) expect(numbersOf(events, agentId)).toEqual(range(30));
    }
  });
});
