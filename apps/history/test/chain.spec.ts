import { newId, Secret } from '@agent-wallet/kernel';
import {
  type Database,
  migrate,
  missingMigrations,
  openDatabase,
  type PostgresConnection,
} from '@agent-wallet/platform';
import { silent } from '@agent-wallet/platform/testing';
import { openTestDatabase, type TestConnection, type TestDatabase } from '@agent-wallet/testing';
import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { PostgresEventStore } from '../src/adapters/postgres-event-store.js';
import { readEvent } from '../src/application/read-event.js';
import { historyMigrations } from '../src/index.js';
import { operationEvent } from './support.js';

let test: TestDatabase<'history' | 'history_owner'>;
let owner: Database;
let service: Database;
const opened: Database[] = [];

beforeEach(async () => {
  test = await openTestDatabase(['history'], ['history']);
  owner = open(test.schemas.history_owner);
  service = open(test.schemas.history);
});
afterEach(async () => {
  await Promise.all(opened.splice(0).map((database) => database.close()));
  await test.close();
});

function open(login: TestConnection): Database {
  const connection: PostgresConnection = { ...login, password: new Secret(login.password) };
  const database = openDatabase({ connection, schema: 'history', logger: silent });
  opened.push(database);
  return database;
}

const rowsOf = async (sql: string, database = service): Promise<unknown[]> => (await database.pool.query(sql)).rows;
const append = (...events: ReturnType<typeof readEvent>[]) => new PostgresEventStore(service).append(events, []);
const eventsOf = (...agents: string[]) => agents.map((agentId) => readEvent(operationEvent(agentId)));

/** What Postgres itself makes of the bytes: nothing of the code that wrote them. */
const WRONG_EVENTS = `
  select event_id from (
    select *, row_number() over (order by position) as place, row_number() over own as seq,
      coalesce(lag(hash) over own, decode(repeat('00', 32), 'hex')) as before
    from events window own as (partition by agent_id order by position)) e
  where position <> place or agent_seq <> seq or previous_hash <> before or hash <> sha256(
    convert_to(E'agentwallet/event/v1\\n', 'UTF8') || before || int8send(seq) || uuid_send(agent_id) || uuid_send(event_id)
    || payload)`;
const WRONG_BATCHES = `
  select last_position from (
    select *, coalesce(lag(last_position) over log, 0) as past, coalesce(lag(hash) over log, decode(repeat('00', 32), 'hex')) as before
    from log_batches window log as (order by last_position)) b
  where hash <> sha256(convert_to(E'agentwallet/log/v1\\n', 'UTF8') || before || int8send(past + 1)
    || int4send((last_position - past)::int)
    || (select string_agg(hash, ''::bytea order by position) from events where position > past and position <= last_position))`;
async function expectWholeChain(events: number): Promise<void> {
  expect(await rowsOf('select count(*)::int as n, max(position)::int as last from events')).toEqual([
    { n: events, last: events },
  ]);
  expect(await rowsOf(WRONG_EVENTS)).toEqual([]);
  expect(await rowsOf(WRONG_BATCHES)).toEqual([]);
}

describe('the chain of events', () => {
  beforeEach(async () => void (await migrate(owner, historyMigrations.directory)));

  it('holds for agents in any mixture, batch after batch, and events that come again', async () => {
    const [a, b, c] = [newId(), newId(), newId()];
    const first = eventsOf(a, b, a, a, c);
    await append(...first);
    await append(...first.slice(1), ...eventsOf(c, a), first[0]!);
    await append(...first);
    await append();
    await expectWholeChain(7);
    expect(await rowsOf('select last_position::int as last from log_batches order by 1')).toEqual([
      { last: 5 },
      { last: 7 },
    ]);
  });

  it('holds when two replicas append the same events at once', async () => {
    const agents = [newId(), newId(), newId()];
    const events = Array.from({ length: 200 }, (_, i) => readEvent(operationEvent(agents[i % 3]!)));
    const replicas = [new PostgresEventStore(service), new PostgresEventStore(open(test.schemas.history))];
    for (let i = 0; i < events.length; i += 20) {
      await Promise.all(replicas.map((replica, n) => replica.append(events.slice(i + n * 5, i + 20 + n * 5), [])));
    }
    await expectWholeChain(200);
  });

  it('holds after batches that were rolled back, and while another replica appends in between', async () => {
    const [ours, theirs] = [new PostgresEventStore(service), new PostgresEventStore(open(test.schemas.history))];
    const agents = [newId(), newId()];
    await ours.append(eventsOf(...agents), []);
    const unwritable = eventsOf(...agents, newId());
    const record = { ...unwritable[2]!.record!, asset: 'a text with a \0' };
    await expect(ours.append([...unwritable.slice(0, 2), { ...unwritable[2]!, record }], [])).rejects.toThrow();
    await expectWholeChain(2);
    await ours.append(unwritable, []);
    await theirs.append(eventsOf(...agents, ...agents), []);
    await ours.append(eventsOf(...agents), []);
    await theirs.append(eventsOf(...agents, newId()), []);
    await expectWholeChain(14);
  });

  it.each([
    'update events set agent_id = event_id',
    'delete from events',
    'truncate events',
    'update log_batches set hash = sha256(hash)',
    'delete from log_batches',
    'truncate checkpoints',
    'drop trigger events_are_append_only on events',
    'alter table events disable trigger all',
    'alter table events rename to other',
    'drop table log_batches',
    'drop schema history cascade',
    "set session_replication_role = 'replica'",
    'delete from schema_migrations',
    'update schema_functions set catalog_digest = files_checksum',
    'create or replace function reject_change() returns trigger language plpgsql as $$ begin return null; end $$',
  ])('is out of the reach of the service: %s is refused', async (sql) => {
    await append(...eventsOf(newId()));
    await expect(rowsOf(sql)).rejects.toThrow(/permission denied|must be owner/);
    await expectWholeChain(1);
  });

  it.each(['update events set agent_id = event_id', 'delete from log_batches', 'truncate checkpoints'])(
    'is not changed by mistake by its owner either: %s',
    async (sql) => {
      await append(...eventsOf(newId()));
      await expect(rowsOf(sql, owner)).rejects.toThrow('append-only');
    },
  );

  it.each(['delete from events', 'update log_batches set hash = hash', 'truncate checkpoints'])(
    'is not changed either by a superuser who writes as a replica does: %s',
    async (sql) => {
      await append(...eventsOf(newId()));
      const superuser = open(test.connection);
      await superuser.transaction(async (tx) => {
        await tx.query("set local session_replication_role = 'replica'");
        await expect(tx.query(sql)).rejects.toThrow('append-only');
      });
    },
  );

  it('lets the service see whether its schema is as new as it is', async () => {
    expect(await missingMigrations(service, historyMigrations.directory)).toEqual([]);
  });

  it('leaves derived tables to the service, which may rebuild and swap them', async () => {
    await rowsOf(`create table rebuilt (like transactions including all);
      alter table transactions rename to old; alter table rebuilt rename to transactions; drop table old`);
    await append(...eventsOf(newId()));
    expect(await rowsOf('select from transactions')).toHaveLength(1);
  });
});
