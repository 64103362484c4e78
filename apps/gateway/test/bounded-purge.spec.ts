import { newId } from '@agent-wallet/kernel';
import { PagesRead } from '@agent-wallet/testing';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { purgeExpired } from '../src/adapters/housekeeping.js';
import { World } from './world.js';

const MANY = 20_000;
/** Pages that an index may be deeper. */
const DEEPER = 20;

let world: World;
beforeAll(async () => {
  world = await World.open();
});
afterAll(() => world.close());

async function pagesOfPurge(): Promise<number> {
  const { pool } = world.database;
  await pool.query('analyze');
  const pages = new PagesRead(pool);
  await purgeExpired({ pool: pages } as never, world.clock);
  return pages.take();
}

describe('the purge', () => {
  it('reads as much with 20,000 rows that are kept as with none, in each table that grows', async () => {
    const few = await pagesOfPurge();
    const { pool } = world.database;
    const agentId = newId();
    await pool.query(`insert into agents (id, email, created_at) values ($1, 'a@example.com', now())`, [agentId]);
    await pool.query(
      `insert into prepared_requests (id, agent_id, tool, arguments, expires_at, executed_at)
       select gen_random_uuid(), $1, 'prepare_transfer', '{}', now() - interval '10 days', now() from generate_series(1, $2)`,
      [agentId, MANY],
    );
    await pool.query(
      `insert into login_blocks (email, purpose, client, touched_at)
       select n || '@example.com', 'login', 'c', now() from generate_series(1, $1) as n`,
      [MANY],
    );
    expect(await pagesOfPurge()).toBeLessThanOrEqual(few + DEEPER);
  });
});
