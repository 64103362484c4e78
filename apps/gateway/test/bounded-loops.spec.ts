import { silent } from '@agent-wallet/platform/testing';
import { PagesRead } from '@agent-wallet/testing';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { purgeExpired } from '../src/adapters/housekeeping.js';
import { PostgresIdempotencyStore } from '../src/adapters/postgres-idempotency-store.js';
import { World } from './world.js';

// What runs each few seconds or minutes, over tables of two sizes.

const MANY = 20_000;
/** Pages that the indexes may be deeper. */
const DEEPER = 30;

let world: World;
afterAll(() => world.close());

/** Values of a row of each table that is purged; `n` makes it unique, `ended` is when it was over. */
const ROWS: Readonly<Record<string, string>> = {
  sessions: `(id, agent_id, created_at, expires_at, family_id, authenticated_at)
    select gen_random_uuid(), a.id, now(), ended, gen_random_uuid(), now()`,
  owner_sessions: `(token_hash, id, owner_id, authenticated_by, authenticated_at, used_at, network)
    select decode(md5(n::text || ended), 'hex'), gen_random_uuid(), o.id, 'mail', now(), ended, ''`,
  otps: `(otp_id, email, code_hash, created_at, expires_at, purpose)
    select gen_random_uuid(), n || '@example.com', '', now(), ended, 'login'`,
  idempotency_records: `(operation_id, agent_id, request_hash, action, input, state, leased_until, poll_at,
      response_status, response_data, created_at, finished_at)
    select gen_random_uuid(), a.id, '', 'transfer', '{}', 'final', now(), now(), 200, '{}', now(), ended`,
  prepared_requests: `(id, agent_id, tool, arguments, expires_at, executed_at)
    select gen_random_uuid(), a.id, 'prepare_transfer', '{}', ended, now()`,
  connections: `(id, client_id, client_name, redirect_uri, scopes, code_challenge, expires_at)
    select gen_random_uuid(), '', '', '', '{}', '', ended`,
  rate_windows: `(key, taken, resets_at) select n || ' ' || ended, 1, ended`,
  notices: `(event_id, mailbox, kind, noted_at) select gen_random_uuid(), 'm', 'payment', ended`,
  login_networks: `(mailbox, network, seen_at) select n || ' ' || ended, '', ended`,
  login_pools: `(email, purpose, owner, network, resets_at) select n || ' ' || ended, '', '', '', ended`,
  notice_networks: `(agent_id, network, seen_at) select gen_random_uuid(), '', ended`,
  notice_mailboxes: `(mailbox, day_began_at) select n || ' ' || ended, ended`,
  login_blocks: `(email, purpose, client, touched_at) select n || ' ' || ended, '', '', ended`,
};

/** Adds rows to each table that is purged, which are over at a time from now. */
async function addRows(count: number, from: string): Promise<void> {
  const { pool } = world.database;
  for (const [table, row] of Object.entries(ROWS)) {
    await pool.query(
      `insert into ${table} ${row} from generate_series(1, $1) as n,
         (select now() + $2::interval as ended) as times, agents as a, owners as o`,
      [count, from],
    );
  }
  await pool.query('analyze');
}

async function pagesOfPurge(): Promise<number> {
  const pages = new PagesRead(world.database.pool);
  await purgeExpired({ pool: pages } as never, world.clock);
  return pages.take();
}

async function pagesOfTaking(): Promise<number> {
  const pages = new PagesRead(world.database.pool);
  const store = new PostgresIdempotencyStore(pages as never, world.clock, silent);
  await store.takeLeftOpen(10, 1_000);
  store.stop();
  return pages.take();
}

beforeAll(async () => {
  world = await World.open();
  const { pool } = world.database;
  await pool.query(`insert into agents (id, email, created_at) values (gen_random_uuid(), 'a@example.com', now())`);
  await pool.query(`insert into owners (id, email, created_at) values (gen_random_uuid(), 'o@example.com', now())`);
});

describe('the purge and the search for requests without a response', () => {
  it('read as much with 20,000 rows that are kept in each table as with none', async () => {
    const few = { purge: await pagesOfPurge(), search: await pagesOfTaking() };
    await addRows(MANY, '1 hour');
    expect(await pagesOfPurge()).toBeLessThanOrEqual(few.purge + DEEPER);
    expect(await pagesOfTaking()).toBeLessThanOrEqual(few.search + DEEPER);
  });
});
