// Bare statements and bare events, through pg, in a database of their own on the product's Postgres.
import { randomBytes, randomUUID } from 'node:crypto';
import pg from 'pg';
import { closing } from '../../measuring/closing.mjs';

const NAME = 'bench';
/** As many at once as a service has connections. */
export const CONNECTIONS = 10;
/** Statements and events in one call of `writeRows` and of `carryEvents`. */
export const ROW_STATEMENTS = 9;
export const EVENT_BATCH = 500;

const MESSAGE = randomBytes(260);
const SIGNATURE = randomBytes(64);
const PAYLOAD = randomBytes(380);

const TABLES = `
  create table rows (id uuid primary key, agent_id uuid not null, state text not null, request bytea not null,
    message bytea, signature bytea, revision int not null) with (fillfactor = 70);
  create table outbox (id bigint generated always as identity primary key, event_id uuid not null unique,
    agent_id uuid not null, payload bytea not null);
  create table log (position bigint generated always as identity primary key, event_id uuid not null unique,
    agent_id uuid not null, payload bytea not null);
  create table events (position bigint primary key, event_id uuid not null unique, agent_id uuid not null,
    payload bytea not null);`;

const STATEMENTS = {
  insert: `insert into rows (id, agent_id, state, request, revision) values ($1, $2, 'accepted', $3, 1)`,
  find: 'select * from rows where id = $1',
  build: 'update rows set message = $2, revision = revision + 1 where id = $1',
  submit: `update rows set signature = $2, state = 'submitted', revision = revision + 1 where id = $1`,
  finish: `update rows set state = 'confirmed', revision = revision + 1 where id = $1`,
  write: 'insert into outbox (event_id, agent_id, payload) values ($1, $2, $3)',
  due: `select * from outbox order by id limit ${EVENT_BATCH}`,
  append: 'insert into log (event_id, agent_id, payload) select * from unnest($1::uuid[], $2::uuid[], $3::bytea[])',
  prune: 'delete from outbox where id <= $1',
  read: `select * from log where position > (select coalesce(max(position), 0) from events)
    order by position limit ${EVENT_BATCH}`,
  record: `insert into events (event_id, agent_id, payload, position)
    select * from unnest($1::uuid[], $2::uuid[], $3::bytea[], $4::bigint[]) on conflict do nothing`,
};

const prepared = (name, values) => ({ name, text: STATEMENTS[name], values });

/** Makes the database; its connections stay, so that no round pays for new ones. */
export async function openBareDatabase(server) {
  const { host, port, user, database } = server;
  const login = { host, port, user, password: server.password.reveal(), idleTimeoutMillis: 0 };
  const admin = new pg.Pool({ ...login, database, max: 1 });
  await admin.query(`create database ${NAME}`);
  await admin.end();
  const pool = closing(new pg.Pool({ ...login, database: NAME, max: CONNECTIONS }), () => pool.end());
  pool.on('error', () => {}); // at the end the server may be first to close a connection
  await pool.query(TABLES);
  return pool;
}

/** Writes the rows of a transfer, each statement committed by itself: its request, its operation and its reservation. */
export async function writeRows(pool) {
  const run = (name, ...values) => pool.query(prepared(name, values));
  const [request, operation, reservation, agent] = Array.from({ length: 4 }, () => randomUUID());
  await run('insert', request, agent, MESSAGE);
  await run('insert', operation, agent, MESSAGE);
  await run('build', operation, MESSAGE);
  await run('find', reservation);
  await run('insert', reservation, agent, MESSAGE);
  await run('submit', operation, SIGNATURE);
  for (const id of [operation, reservation, request]) await run('finish', id);
}

/** Brings a batch of events from outbox to log to record, as one transaction each. */
export async function carryEvents(pool) {
  const client = await pool.connect();
  const run = async (name, values) => (await client.query(prepared(name, values))).rows;
  try {
    await client.query('begin');
    const agent = randomUUID();
    for (let i = 0; i < EVENT_BATCH; i += 1) await run('write', [randomUUID(), agent, PAYLOAD]);
    await client.query('commit; begin');
    const due = await run('due');
    await run('append', columnsOf(due));
    await run('prune', [due.at(-1).id]);
    await client.query('commit; begin');
    const read = await run('read');
    if (read.length !== EVENT_BATCH) throw new Error('a bare event was lost');
    await run('record', [...columnsOf(read), read.map(({ position }) => position)]);
    await client.query('commit');
  } finally {
    client.release();
  }
}

function columnsOf(rows) {
  return ['event_id', 'agent_id', 'payload'].map((column) => rows.map((row) => row[column]));
}
