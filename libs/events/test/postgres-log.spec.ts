import { Secret } from '@agent-wallet/kernel';
import { type Database, migrate, openDatabase } from '@agent-wallet/platform';
import { eventually } from '@agent-wallet/testing';
import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import {
  createPostgresConsumer,
  createPostgresPublisher,
  EVENT_LOG_MIGRATIONS,
  type EventRecord,
  grantConsume,
  grantPublish,
  grantRead,
  type PostgresConsumerOptions,
} from '../src/index.js';
import { newId, numberedEvent, numbersOf, openTestDatabase, silent, type TestDatabase } from './support.js';

/** For consumers that must not look by themselves. */
const NEVER_MS = 3_600_000;

let test: TestDatabase<'events' | 'wallet' | 'history'>;
let log: Database;
let wallet: Database;
let history: Database;
const running: Array<{ stop(): Promise<void> }> = [];

beforeEach(async () => {
  test = await openTestDatabase(['events', 'wallet', 'history']);
  [log, wallet, history] = (['events', 'wallet', 'history'] as const).map((schema) => {
    const connection = { ...test.schemas[schema], password: new Secret(test.schemas[schema].password) };
    return openDatabase({ connection, schema, logger: silent });
  }) as [Database, Database, Database];
  await migrate(log, EVENT_LOG_MIGRATIONS.directory);
  await log.pool.query(`${grantPublish(test.schemas.wallet.user)} ${grantConsume(test.schemas.history.user)}`);
  await history.pool.query('create table event_positions (consumer text primary key, position bigint not null)');
});

afterEach(async () => {
  await Promise.all(running.splice(0).map((each) => each.stop()));
  await Promise.all([log, wallet, history].map((database) => database.close()));
  await test.close();
});

function consume(options: Partial<PostgresConsumerOptions> = {}, failing = false): EventRecord[] {
  const seen: EventRecord[] = [];
  const consumer = createPostgresConsumer({ database: history, consumer: 'history', logger: silent, ...options });
  consumer.start(async (events) => {
    if (failing) throw new Error('no');
    seen.push(...events);
  });
  running.push(consumer);
  return seen;
}

const publish = (...events: EventRecord[]) => createPostgresPublisher(wallet).publish(events);

async function numbersKept(agentId: string): Promise<number[]> {
  const { rows } = await log.pool.query<{ payload: Buffer }>('select payload from log order by position');
  return numbersOf(
    rows.map(({ payload }) => ({ eventId: '', agentId, payload })),
    agentId,
  );
}

/** Makes the first events of the log older than so many hours, by a minute more or less. */
async function age(count: number, hours: number, minutes: number): Promise<void> {
  await log.pool.query(
    `update log set published_at = clock_timestamp() - $2::integer * interval '1 hour' - $3::integer * interval '1 minute'
     where position <= $1`,
    [count, hours, minutes],
  );
}

describe('a consumer of the log in Postgres', () => {
  it('is notified of new events, and need not poll', async () => {
    const agentId = newId();
    const seen = consume({ idleMs: NEVER_MS });
    for (const n of [1, 2, 3]) {
      await publish(numberedEvent(agentId, n));
      await eventually(() => seen.length === n);
    }
    expect(numbersOf(seen, agentId)).toEqual([1, 2, 3]);
  });

  it('hears again after its connection was lost, and learns what it missed', async () => {
    const agentId = newId();
    const seen = consume({ idleMs: NEVER_MS });
    await publish(numberedEvent(agentId, 1));
    await eventually(() => seen.length === 1);
    const kill = `select pg_terminate_backend(pid) from pg_stat_activity
      where datname = current_database() and usename = current_user and query ilike 'listen%'`;
    await eventually(async () => (await history.pool.query(kill)).rowCount === 1);
    await publish(numberedEvent(agentId, 2));
    await eventually(() => seen.length === 2);
    await publish(numberedEvent(agentId, 3));
    await eventually(() => seen.length === 3);
  });

  it('keeps its place in the transaction that keeps what was made of a batch, and only with it', async () => {
    const agentId = newId();
    await publish(numberedEvent(agentId, 1));
    const place = `select position::int from event_positions`;
    const found: unknown[] = [];
    const consumer = createPostgresConsumer({ database: history, consumer: 'history', logger: silent });
    running.push(consumer);
    consumer.start(async (_, keepPlace) => {
      found.push((await history.pool.query(place)).rows);
      await history.transaction(async (tx) => {
        await keepPlace!(tx);
        if (found.length === 1) throw new Error('undone');
      });
      throw new Error('too late to undo it');
    });
    await eventually(async () => (await history.pool.query(place)).rowCount === 1);
    await publish(numberedEvent(agentId, 2));
    await eventually(() => found.length === 3);
    expect(found).toEqual([[], [], [{ position: 1 }]]);
  });

  it('reads at one replica alone, and at another one when that is gone or has failed', async () => {
    const agentId = newId();
    const first = consume();
    await publish(numberedEvent(agentId, 1));
    await eventually(() => first.length === 1);
    const second = consume();
    await publish(numberedEvent(agentId, 2));
    await eventually(() => first.length === 2);
    expect(second).toEqual([]);
    await running.shift()!.stop();
    await publish(numberedEvent(agentId, 3));
    await eventually(() => second.length === 1);
    expect(numbersOf(second, agentId)).toEqual([3]);
    const failing = consume({}, true);
    await running.shift()!.stop();
    const third = consume();
    await publish(numberedEvent(agentId, 4));
    await eventually(() => third.length === 1);
    expect([failing, numbersOf(third, agentId)]).toEqual([[], [4]]);
  });

  it('polls by itself without a notification', async () => {
    const agentId = newId();
    const seen = consume();
    const { eventId, payload } = numberedEvent(agentId, 1);
    await wallet.pool.query('select events.append(array[$1::uuid], array[$2::uuid], array[$3::bytea])', [
      ...[eventId, agentId, payload],
    ]);
    await eventually(() => seen.length === 1);
  });
});

describe('a follower', () => {
  const place = `select position::int from event_positions`;
  const follow = (options: Partial<PostgresConsumerOptions> = {}) =>
    consume({ isFollower: true, retentionHours: 1, pruneEveryMs: 5, idleMs: 10, ...options });

  beforeEach(async () => {
    const role = test.schemas.history.user;
    await log.pool.query(`revoke all on function prune(bigint, interval, integer) from ${role}; ${grantRead(role)}`);
  });

  it('gets every event, writes nothing, and reads again after a restart', async () => {
    const agentId = newId();
    const seen = follow();
    await publish(numberedEvent(agentId, 1));
    await eventually(() => seen.length === 1);
    await publish(numberedEvent(agentId, 2));
    await eventually(() => seen.length === 2);
    expect((await history.pool.query(place)).rows).toEqual([]);
    await running.pop()!.stop();
    const again = follow();
    await eventually(() => again.length > 0);
    expect([numbersOf(seen, agentId), numbersOf(again, agentId)]).toEqual([
      [1, 2],
      [1, 2],
    ]);
  });

  it('goes on behind the place that its handler has kept', async () => {
    const agentId = newId();
    const found: EventRecord[] = [];
    const open = () => {
      const consumer = createPostgresConsumer({
        database: history,
        consumer: 'history',
        logger: silent,
        isFollower: true,
      });
      consumer.start(async (events, keepPlace) => {
        await keepPlace!(history.pool);
        found.push(...events);
      });
      running.push(consumer);
    };
    open();
    await publish(numberedEvent(agentId, 1));
    await eventually(() => found.length === 1);
    await running.pop()!.stop();
    open();
    await publish(numberedEvent(agentId, 2));
    await eventually(() => found.length === 2);
    expect(numbersOf(found, agentId)).toEqual([1, 2]);
  });

  it('may forget nothing of the log', async () => {
    await expect(history.pool.query(`select events.prune(1, '1 hour', 1)`)).rejects.toThrow('permission denied');
    await history.pool.query('select count(*) from events.log');
  });
});

describe('what the log forgets', () => {
  it('is what the consumer has handled and is older than its retention, and nothing else', async () => {
    const agentId = newId();
    for (const n of [1, 2, 3]) await publish(numberedEvent(agentId, n));
    await age(3, 2, -1);
    await age(2, 2, 1);
    const seen = consume({ retentionHours: 2, pruneEveryMs: 10 });
    await eventually(async () => (await numbersKept(agentId)).length < 3);
    expect(await numbersKept(agentId)).toEqual([3]);
    expect(numbersOf(seen, agentId)).toEqual([1, 2, 3]);
    await publish(numberedEvent(agentId, 4));
    await eventually(() => seen.length === 4);
    expect(await numbersKept(agentId)).toEqual([3, 4]);
  });

  it('is nothing that it has not handled, however old', async () => {
    const agentId = newId();
    await publish(numberedEvent(agentId, 1));
    const seen = consume({ retentionHours: 1, pruneEveryMs: 5 });
    await eventually(() => seen.length === 1);
    await running.pop()!.stop();
    await publish(numberedEvent(agentId, 2));
    await age(2, 500, 0);
    consume({ retentionHours: 1, pruneEveryMs: 5 }, true);
    await eventually(async () => (await numbersKept(agentId)).length === 1);
    expect(await numbersKept(agentId)).toEqual([2]);
  });
});

/** Does what a changed file of functions leads to. */
async function changeFunctions(): Promise<void> {
  await log.pool.query("update schema_functions set files_checksum = 'of the release before'");
  expect(await migrate(log, EVENT_LOG_MIGRATIONS.directory)).toEqual(['functions']);
}

describe('the rights on the log', () => {
  it.each([
    ['a producer may not read it', () => wallet, 'select * from events.log'],
    ['a producer may not forget anything', () => wallet, `select events.prune(1, '0 hours', 1)`],
    ['a consumer may not write to it', () => history, `select events.append('{}', '{}', '{}')`],
    ['a consumer may not move an outbox', () => history, `select events.move_outbox(1, 'history', 1, 1)`],
    ['a consumer may not delete what it likes', () => history, 'delete from events.log'],
  ])('are few: %s', async (_, of, sql) => {
    await expect(of().pool.query(sql)).rejects.toThrow('permission denied');
  });

  it.each([
    ['append', 'revoke execute on function append(uuid[], uuid[], bytea[]) from'],
    ['use the schema', 'revoke usage on schema events from'],
  ])('stay away from a publisher that an operator has forbidden to %s', async (_, revoke) => {
    const publisher = test.schemas.wallet.user;
    await log.pool.query(`${revoke} ${publisher}`);
    await changeFunctions();
    // As every run of the migrations does.
    await log.pool.query(`${grantPublish(publisher)} ${grantConsume(test.schemas.history.user)}`);
    await expect(publish(numberedEvent(newId(), 1))).rejects.toThrow('permission denied');
    await history.pool.query(`select events.prune(0, '1 hour', 1), (select count(*) from events.log)`);
  });

  it('stay away from a consumer that an operator has forbidden to read', async () => {
    const consumer = test.schemas.history.user;
    await log.pool.query(`revoke select on log from ${consumer}`);
    await changeFunctions();
    await log.pool.query(grantConsume(consumer));
    await expect(history.pool.query('select count(*) from events.log')).rejects.toThrow('permission denied');
  });

  it('come back to a publisher that is forgotten first', async () => {
    const publisher = test.schemas.wallet.user;
    await log.pool.query(`revoke execute on function append(uuid[], uuid[], bytea[]) from ${publisher}`);
    await log.pool.query(`delete from publishers where role_name = '${publisher}'; ${grantPublish(publisher)}`);
    await publish(numberedEvent(newId(), 1));
  });

  it('stay when the functions are made again, for the roles that there still are', async () => {
    await log.pool.query(
      `select let_publish('${test.schemas.wallet.user}'); insert into publishers values ('long gone')`,
    );
    await publish(numberedEvent(newId(), 1));
    await changeFunctions();
    await publish(numberedEvent(newId(), 2));
    await expect(wallet.pool.query(`select events.move_outbox(1, 'wallet', 1, 1)`)).rejects.toThrow('outbox');
    await history.pool.query(`select events.prune(0, '1 hour', 1), (select count(*) from events.log)`);
    await expect(wallet.pool.query(`select events.prune(0, '1 hour', 1)`)).rejects.toThrow('permission denied');
    await expect(wallet.pool.query(`select events.let_consume('wallet')`)).rejects.toThrow('permission denied');
    await expect(wallet.pool.query(`select events.let_read('wallet')`)).rejects.toThrow('permission denied');
    await expect(history.pool.query(`select events.append('{}', '{}', '{}')`)).rejects.toThrow('permission denied');
  });
});
