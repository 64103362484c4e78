import { systemClock } from '@agent-wallet/kernel';
import type { Database } from '@agent-wallet/platform';
import { eventually } from '@agent-wallet/testing';
import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { createOutbox, createPostgresPublisher, startRelay } from '../src/index.js';
import {
  fillOutbox,
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
  await Promise.all(running.splice(0).map((each) => each.stop()));
  await Promise.all(opened.splice(0).map((database) => database.close()));
  await test.close();
});

/** A relay that brings the outbox by one statement. */
function relay(database = producer): void {
  running.push(startRelay(database, createPostgresPublisher(database), silent, { idleMs: 5 }));
}

const isEmpty = async () => (await outboxSize(producer)) === 0;

/** The sizes of what came together, in its order. */
async function batches(): Promise<number[][]> {
  const { rows } = await log.pool.query<{ sizes: number[] }>(
    `select array_agg(octet_length(payload) order by position) as sizes from log group by xmin::text order by min(position)`,
  );
  return rows.map(({ sizes }) => sizes);
}

async function published(agentId: string): Promise<number[]> {
  const { rows } = await log.pool.query<{ payload: Buffer }>(
    'select payload from log where agent_id = $1 order by position',
    [agentId],
  );
  return numbersOf(
    rows.map(({ payload }) => ({ eventId: '', agentId, payload })),
    agentId,
  );
}

describe('an outbox that is moved within its database', () => {
  it('goes in batches of at most 500 events', async () => {
    await fillOutbox(
      producer,
      Array.from({ length: 1_001 }, () => 1),
    );
    relay();
    await eventually(isEmpty);
    expect((await batches()).map(({ length }) => length)).toEqual([500, 500, 1]);
  });

  it('goes in batches of at most 1 MiB of payloads, or one event that is larger', async () => {
    const half = 524_288;
    await fillOutbox(producer, [half, half, half, half + 1, 3 * half, 10, half]);
    relay();
    await eventually(isEmpty);
    expect(await batches()).toEqual([[half, half], [half], [half + 1], [3 * half], [10, half]]);
  });

  it('keeps the order of each agent, and each event once, while connections are lost and replicas take turns', async () => {
    const agents = Array.from({ length: 4 }, newId);
    const others = [await openSchema(test, 'producer'), await openSchema(test, 'producer')];
    opened.push(...others);
    others.forEach((database) => relay(database));
    const numbers = Array.from({ length: 25 }, (_, n) => n);
    const kill = `select pg_terminate_backend(pid) from pg_stat_activity
      where datname = current_database() and query like '%move_outbox%' and pid <> pg_backend_pid()`;
    for (const n of numbers) {
      for (const agentId of agents)
        await eventually(() =>
          producer
            .transaction((tx) => outbox.write(tx, agentId, numberedFact(n)))
            .then(
              () => true,
              () => false,
            ),
        );
      if (n % 5 === 0) await log.pool.query(kill);
    }
    await eventually(isEmpty);
    for (const agentId of agents) expect(await published(agentId)).toEqual(numbers);
  });

  it('stays whole where the log refuses it, and goes on when the log does not', async () => {
    const agentId = newId();
    await log.pool.query(`alter table log add constraint nothing check (false) not valid`);
    await producer.transaction((tx) => outbox.write(tx, agentId, numberedFact(1)));
    await producer.transaction((tx) => outbox.write(tx, agentId, numberedFact(2)));
    await expect(createPostgresPublisher(producer).moveOutbox()).rejects.toThrow('nothing');
    expect(await outboxSize(producer)).toBe(2);
    relay();
    await log.pool.query(`alter table log drop constraint nothing`);
    await eventually(isEmpty);
    expect(await published(agentId)).toEqual([1, 2]);
  });

  it('is not moved twice where it was published already', async () => {
    const agentId = newId();
    await producer.transaction((tx) => outbox.write(tx, agentId, numberedFact(1)));
    await producer.pool.query(
      `select events.append(array_agg(event_id), array_agg(agent_id), array_agg(payload)) from outbox`,
    );
    relay();
    await eventually(isEmpty);
    expect(await published(agentId)).toEqual([1]);
  });
});
