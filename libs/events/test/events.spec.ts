import { systemClock } from '@agent-wallet/kernel';
import type { Database } from '@agent-wallet/platform';
import { eventually } from '@agent-wallet/testing';
import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import {
  createOutbox,
  createPostgresConsumer,
  createPostgresPublisher,
  type EventConsumer,
  type EventPublisher,
  type EventRecord,
  startRelay,
} from '../src/index.js';
import {
  newId,
  numberedFact,
  numberOf,
  openProducerAndLog,
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

beforeEach(async () => {
  test = await openTestDatabase();
  ({ producer, log } = await openProducerAndLog(test));
});

afterEach(async () => {
  await Promise.all(running.splice(0).map((r) => r.stop()));
  await producer.close();
  await log.close();
  await test.close();
});

async function write(agentId: string, ...numbers: number[]): Promise<void> {
  for (const n of numbers) await producer.transaction((tx) => outbox.write(tx, agentId, numberedFact(n)));
}

function relay(publisher: EventPublisher = createPostgresPublisher(producer)): void {
  running.push(startRelay(producer, publisher, silent));
}

function consume(): EventRecord[] {
  const seen: EventRecord[] = [];
  const consumer: EventConsumer = createPostgresConsumer({ database: producer, consumer: 'test', logger: silent });
  consumer.start(async (events) => void seen.push(...events));
  running.push(consumer);
  return seen;
}

describe('many facts written at once', () => {
  it('keep their order, and are of the transaction that writes them', async () => {
    const numbers = Array.from({ length: 2_500 }, (_, i) => i);
    const facts = numbers.map((n) => ({ agentId: newId(), fact: numberedFact(n) }));
    await producer.transaction((tx) => outbox.writeAll(tx, facts));
    await producer.transaction((tx) => outbox.writeAll(tx, []));
    const undone = producer.transaction(async (tx) => {
      await outbox.writeAll(tx, facts);
      throw new Error('undone');
    });
    await expect(undone).rejects.toThrow('undone');
    const { rows } = await producer.pool.query<{ agent_id: string; payload: Buffer }>(
      'select * from outbox order by id',
    );
    expect(rows.map(({ payload }) => numberOf(payload))).toEqual(numbers);
    expect(rows.map((row) => row.agent_id)).toEqual(facts.map(({ agentId }) => agentId));
  });
});

describe('the event stream in Postgres', () => {
  it('delivers what a committed transaction wrote, and prunes the outbox', async () => {
    const seen = consume();
    relay();
    await write(newId(), 1);
    await eventually(() => seen.length === 1);
    await eventually(async () => (await outboxSize(producer)) === 0);
    expect(numberOf(seen[0]!.payload)).toBe(1);
  });

  it('delivers nothing of a transaction that was rolled back', async () => {
    const seen = consume();
    relay();
    const agentId = newId();
    const refused = producer.transaction(async (tx) => {
      await outbox.write(tx, agentId, numberedFact(1));
      throw new Error('no');
    });
    await expect(refused).rejects.toThrow('no');
    await write(agentId, 2);
    await eventually(() => seen.length === 1);
    expect(numberOf(seen[0]!.payload)).toBe(2);
  });

  it('keeps the order of an agent with three relays at work', async () => {
    const agents = Array.from({ length: 5 }, newId);
    const seen = consume();
    relay();
    relay();
    relay();
    const numbers = Array.from({ length: 40 }, (_, n) => n);
    await Promise.all(agents.map((agentId) => write(agentId, ...numbers)));
    await eventually(() => seen.length === agents.length * numbers.length);
    for (const agentId of agents) {
      const own = seen.filter((event) => event.agentId === agentId).map((event) => numberOf(event.payload));
      expect(own).toEqual(numbers);
    }
  });

  it('loses nothing and keeps an event once when publishing fails after it was done', async () => {
    const real = createPostgresPublisher(producer);
    let failures = 0;
    const seen = consume();
    relay({
      publish: async (events) => {
        await real.publish(events);
        if (failures++ < 1) throw new Error('the answer was lost');
      },
    });
    await write(newId(), 1, 2, 3);
    await eventually(() => seen.length >= 3);
    await eventually(async () => (await outboxSize(producer)) === 0);
    expect(seen.map((event) => numberOf(event.payload))).toEqual([1, 2, 3]);
  });

  it('hands a batch on again when its handler failed', async () => {
    await write(newId(), 1);
    relay();
    const consumer = createPostgresConsumer({ database: producer, consumer: 'test', logger: silent });
    const seen: number[] = [];
    consumer.start(async (events) => {
      seen.push(events.length);
      if (seen.length === 1) throw new Error('the database was away');
    });
    running.push(consumer);
    await eventually(() => seen.length === 2);
    expect(seen).toEqual([1, 1]);
  });

  it('goes on after the last handled event when a consumer starts again', async () => {
    relay();
    const agentId = newId();
    const first = consume();
    await write(agentId, 1);
    await eventually(() => first.length === 1);
    await running.pop()!.stop();
    await write(agentId, 2);
    const second = consume();
    await eventually(() => second.length === 1);
    expect(numberOf(second[0]!.payload)).toBe(2);
  });
});
