import { auditV1, operationsV1 } from '@agent-wallet/contracts';
import { newId } from '@agent-wallet/kernel';
import { createPostgresConsumer, type EventRecord } from '@agent-wallet/events';
import { type Database } from '@agent-wallet/platform';
import { silent } from '@agent-wallet/platform/testing';
import { eventually } from '@agent-wallet/testing';
import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { PostgresEventStore } from '../src/adapters/postgres-event-store.js';
import { RecordEvents } from '../src/application/record-events.js';
import { eventOf, FACTS, openTestStore, operationEvent, type TestStore } from './support.js';

const { OPERATION_STATUS_CONFIRMED, OPERATION_STATUS_DROPPED, OPERATION_STATUS_SUBMITTED } = auditV1.OperationStatus;

let store: TestStore;
let recording: RecordEvents;
const consumers: Array<{ stop(): Promise<void> }> = [];

beforeEach(async () => {
  store = await openTestStore();
  recording = new RecordEvents(new PostgresEventStore(store.history), silent);
});
afterEach(async () => {
  await Promise.all(consumers.splice(0).map((consumer) => consumer.stop()));
  await store.close();
});

/** Follows the stream as a replica of history does. */
function consume(database: Database = store.history): void {
  const consumer = createPostgresConsumer({ database, consumer: 'history', logger: silent });
  const replica = new RecordEvents(new PostgresEventStore(database), silent);
  consumer.start((batch) => replica.execute(batch));
  consumers.push(consumer);
}

const countOf = async (table: string) =>
  Number((await store.rows<{ n: string }>(`select count(*) as n from ${table}`))[0]!.n);
const positionReached = async () =>
  Number((await store.rows<{ position: string }>('select position from event_positions'))[0]?.position ?? 0);
const records = () =>
  store.rows<{ id: string; revision: string; status: string; signature: string }>(
    'select id, revision, status, signature from transactions order by id',
  );

/** Three states of one operation. */
function lifeOf(agentId: string, operationId = newId()): [EventRecord, EventRecord, EventRecord] {
  return [
    operationEvent(agentId, { operationId, revision: 1 }),
    operationEvent(agentId, { operationId, revision: 2, status: OPERATION_STATUS_SUBMITTED, signature: 'sig' }),
    operationEvent(agentId, { operationId, revision: 3, status: OPERATION_STATUS_CONFIRMED, signature: 'sig' }),
  ];
}

describe('the audit log', () => {
  it('keeps every event once and in order, byte for byte', async () => {
    const events = lifeOf(newId());
    await recording.execute([events[0], events[1], events[0]]);
    await recording.execute([events[1], events[2]]);
    const kept = await store.rows<{ event_id: string; payload: Buffer }>('select * from events order by position');
    expect(kept.map((row) => row.event_id)).toEqual(events.map((event) => event.eventId));
    expect(kept.map((row) => row.payload)).toEqual(events.map((event) => Buffer.from(event.payload)));
  });

  it.each(['update events set agent_id = event_id', 'delete from events', 'truncate events'])(
    'is append-only: %s is refused',
    async (sql) => {
      await recording.execute([operationEvent(newId())]);
      await expect(store.history.pool.query(sql)).rejects.toThrow('append-only');
    },
  );
});

describe('a record', () => {
  it('shows the latest state, however its revisions are batched', async () => {
    const [first, second, third] = lifeOf(newId());
    await recording.execute([first]);
    expect(await records()).toMatchObject([{ revision: '1', status: 'pending', signature: '' }]);
    await recording.execute([second, third]);
    expect(await records()).toMatchObject([{ revision: '3', status: 'confirmed', signature: 'sig' }]);
  });

  it.each([
    ['in one batch', (events: EventRecord[]) => [events]],
    ['one by one', (events: EventRecord[]) => events.map((event) => [event])],
  ])('never goes back when revisions come late, %s', async (_, batched) => {
    const [first, second, third] = lifeOf(newId());
    for (const batch of batched([third, first, second, third])) await recording.execute(batch);
    expect(await records()).toMatchObject([{ revision: '3', status: 'confirmed' }]);
    expect(await countOf('events')).toBe(3);
  });

  it('keeps its first place in time', async () => {
    const operationId = newId();
    const agentId = newId();
    await recording.execute([operationEvent(agentId, { operationId, createdAtMs: 1_000n })]);
    await recording.execute([operationEvent(agentId, { operationId, revision: 2, createdAtMs: 2_000n })]);
    const [row] = await store.rows<{ created_at: Date }>('select created_at from transactions');
    expect(row?.created_at.getTime()).toBe(1_000);
  });

  it('is not changed by another agent that uses the same id', async () => {
    const operationId = newId();
    const agentId = newId();
    await recording.execute([operationEvent(agentId, { operationId })]);
    await recording.execute([operationEvent(newId(), { operationId, revision: 2 })]);
    expect(await store.rows('select agent_id, revision from transactions')).toEqual([
      { agent_id: agentId, revision: '1' },
    ]);
  });

  it('is made of a policy change, and of nothing that moves no money', async () => {
    const agentId = newId();
    const update = eventOf(agentId, {
      $case: 'policyChanged',
      value: { changes: [{ field: 'dailyLimitInUsd', before: '500', after: '50' }] },
    });
    const login = eventOf(agentId, { $case: 'sessionStarted', value: { sessionId: newId(), expiresAtMs: 1n } });
    const wallet = eventOf(agentId, { $case: 'walletCreated', value: { address: 'a' } });
    await recording.execute([wallet, login, update]);
    expect(await countOf('events')).toBe(3);
    const [row, ...more] = await store.rows<{ id: string; facts: Buffer }>('select id, facts from transactions');
    expect([row!.id, more]).toEqual([update.eventId, []]);
    expect(operationsV1.OperationFacts.decode(row!.facts).action).toEqual({
      $case: 'policyUpdate',
      value: { changes: [{ field: 'dailyLimitInUsd', before: '500', after: '50' }] },
    });
  });
});

describe('a record that is dropped', () => {
  const agentId = newId();
  const operationId = newId();
  const state = (revision: number, status: auditV1.OperationStatus) =>
    operationEvent(agentId, { operationId, revision, status, createdAtMs: 1_000n });
  const [seen, dropped, again, final] = [
    state(1, OPERATION_STATUS_SUBMITTED),
    state(2, OPERATION_STATUS_DROPPED),
    state(3, OPERATION_STATUS_SUBMITTED),
    state(4, OPERATION_STATUS_CONFIRMED),
  ];
  type Batches = (...events: EventRecord[]) => EventRecord[][];
  const ways: ReadonlyArray<[string, Batches]> = [
    ['in one batch', (...events) => [events]],
    ['one by one', (...events) => events.map((event) => [event])],
    ['the other way round', (...events) => events.reverse().map((event) => [event])],
    ['one by one, twice', (...events) => [...events, ...events].map((event) => [event])],
  ];

  it.each(ways)('leaves what is shown, and its events stay, %s', async (_, batched) => {
    const other = operationEvent(agentId);
    for (const batch of batched(seen, other, dropped)) await recording.execute(batch);
    expect(await records()).toMatchObject([{ revision: '1', status: 'pending' }]);
    expect(await countOf('events')).toBe(3);
  });

  it.each(ways)('comes back with a higher revision, in its old place, %s', async (_, batched) => {
    for (const batch of batched(seen, dropped, again, final)) await recording.execute(batch);
    expect(await records()).toMatchObject([{ id: operationId, revision: '4', status: 'confirmed' }]);
    expect(await store.rows('select created_at from transactions')).toEqual([{ created_at: new Date(1_000) }]);
  });

  it('is not restored by its own past when the log is read again', async () => {
    await recording.execute([dropped]);
    await recording.execute([seen]);
    expect(await records()).toEqual([]);
  });

  it('can be dropped a second time', async () => {
    for (const event of [seen, dropped, again, state(5, OPERATION_STATUS_DROPPED)]) await recording.execute([event]);
    expect(await records()).toEqual([]);
  });

  it('is only the agent’s own: another one can neither drop it nor use its id', async () => {
    const stranger = newId();
    const by = (status: auditV1.OperationStatus, revision: number) =>
      operationEvent(stranger, { operationId, revision, status });
    await recording.execute([seen]);
    await recording.execute([by(OPERATION_STATUS_DROPPED, 9)]);
    expect(await records()).toMatchObject([{ revision: '1', status: 'submitted' }]);
    await recording.execute([dropped]);
    await recording.execute([by(OPERATION_STATUS_CONFIRMED, 10)]);
    expect(await records()).toEqual([]);
    await recording.execute([by(OPERATION_STATUS_DROPPED, 11)]);
    await recording.execute([again]);
    expect(await records()).toMatchObject([{ revision: '3', status: 'submitted' }]);
  });
});

describe('an event that cannot be read', () => {
  it('is set aside with the reason, and the others go on', async () => {
    const [before, after] = [operationEvent(newId()), operationEvent(newId())];
    const broken = { eventId: newId(), agentId: newId(), payload: Buffer.from('ffffffff', 'hex') };
    const wrong = operationEvent(newId(), { facts: { ...FACTS, errorJson: 'no json' } });
    await store.publish(before, broken, wrong, after);
    consume();
    await eventually(async () => (await positionReached()) === 4);
    expect(await countOf('transactions')).toBe(2);
    expect(
      await store.rows(
        'select event_id, agent_id, payload, error from unprocessable_events order by error collate "C" desc',
      ),
    ).toEqual([
      { event_id: broken.eventId, agent_id: broken.agentId, payload: broken.payload, error: 'it is not an AuditEvent' },
      {
        event_id: wrong.eventId,
        agent_id: wrong.agentId,
        payload: Buffer.from(wrong.payload),
        error: 'error_json is not JSON',
      },
    ]);
  });

  it('is set aside once, however often it comes', async () => {
    const broken = { eventId: newId(), agentId: newId(), payload: Buffer.from('ffffffff', 'hex') };
    await recording.execute([broken]);
    await recording.execute([broken, broken]);
    expect(await countOf('unprocessable_events')).toBe(1);
  });
});

describe('following the stream', () => {
  /** 1 200 operations of 7 agents, three states each, in an order that mixes the agents. */
  function manyLives(): EventRecord[] {
    const agents = Array.from({ length: 7 }, () => newId());
    const lives = Array.from({ length: 1_200 }, (_, i) => lifeOf(agents[i % agents.length]!));
    return [0, 1, 2].flatMap((state) => lives.map((life) => life[state]!));
  }

  async function expectAllRecorded(events: readonly EventRecord[]): Promise<void> {
    await eventually(async () => (await positionReached()) === events.length);
    await expectRecordedOnce(events);
  }

  async function expectRecordedOnce(events: readonly EventRecord[]): Promise<void> {
    const kept = await store.rows<{ event_id: string }>('select event_id from events order by position');
    expect(kept.map((row) => row.event_id)).toEqual(events.map((event) => event.eventId));
    const states = await store.rows('select revision, status, count(*)::int as n from transactions group by 1, 2');
    expect(states).toEqual([{ revision: '3', status: 'confirmed', n: events.length / 3 }]);
  }

  it('by two replicas at once records everything once, in order', async () => {
    const events = manyLives();
    const replay = async () => {
      const replica = new RecordEvents(new PostgresEventStore(store.history), silent);
      for (let i = 0; i < events.length; i += 150) await replica.execute(events.slice(i, i + 150));
    };
    await Promise.all([replay(), replay()]);
    await expectRecordedOnce(events);
  });

  it('from the beginning again changes nothing', async () => {
    const events = manyLives();
    await store.publish(...events);
    consume();
    await expectAllRecorded(events);
    await consumers.pop()!.stop();
    const before = await store.rows('select * from transactions order by id');
    await store.rows('update event_positions set position = 0');
    consume();
    await expectAllRecorded(events);
    expect(await store.rows('select * from transactions order by id')).toEqual(before);
  });

  it('survives a crash after a batch was recorded and before its position was', async () => {
    const events = manyLives();
    await store.publish(...events);
    consume(failingAt('events-advance', store.history));
    await eventually(async () => (await countOf('events')) > 0);
    await consumers.pop()!.stop();
    expect(await positionReached()).toBe(0);
    consume();
    await expectAllRecorded(events);
  });

  it('leaves nothing of a batch that fails half-way, and records it later', async () => {
    const events = manyLives();
    await store.rows('alter table transactions rename to transactions_away');
    await expect(recording.execute(events.slice(0, 500))).rejects.toThrow();
    expect(await countOf('events')).toBe(0);
    await store.rows('alter table transactions_away rename to transactions');
    await store.publish(...events);
    consume();
    await expectAllRecorded(events);
  });

  /** A database on which one statement of the pool never arrives, as when the process dies before it. */
  function failingAt(name: string, database: Database): Database {
    const query = (statement: { name?: string }) =>
      statement.name === name ? Promise.reject(new Error('killed')) : database.pool.query(statement as never);
    const connect = () => database.pool.connect();
    return { ...database, pool: Object.assign(Object.create(database.pool), { query, connect }) };
  }
});
