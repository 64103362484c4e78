import { newId } from '@agent-wallet/kernel';
import { PagesRead } from '@agent-wallet/testing';
import { afterAll, beforeAll, expect, it } from '@jest/globals';
import { OperationStore } from '../src/store/operation-store.js';
import { World } from './world.js';

// A round of each loop of the engine, over tables of two sizes.

const MANY = 20_000;
/** Pages that the indexes may be deeper. */
const DEEPER = 40;
const LEASE_MS = 1_000;

let world: World;
beforeAll(async () => {
  world = await World.open();
});
afterAll(() => world.close());

/** Adds operations with an attempt each. */
async function addOperations(count: number, state: string, due: string | null): Promise<void> {
  const { pool } = world.database;
  await pool.query(
    `with made as (
       insert into operations (id, agent_id, action, request, request_id, state, created_at_ms, owner, due_at, decided_at)
       select gen_random_uuid(), gen_random_uuid(), 'transfer', '{"amount":"1"}', '', $2, 1, gen_random_uuid(),
         clock_timestamp() + $3::interval, clock_timestamp()
       from generate_series(1, $1) returning id)
     insert into attempts (operation_id, step, attempt, intent, message, message_hash, last_valid_block_height,
       network_fee_lamports)
     select id, 1, 1, '', '', uuid_send(id), 1, 1 from made`,
    [count, state, due],
  );
}

/** Runs a round of each loop once, and returns the pages that each has read. */
async function pagesOfLoops(): Promise<Record<string, number>> {
  const { pool } = world.database;
  await pool.query('vacuum analyze');
  const { rows } = await pool.query<{ id: string; fence: string }>(
    `select id, fence from operations where state = 'submitted' order by id limit 1`,
  );
  const lease = { id: rows[0]!.id, fence: BigInt(rows[0]!.fence) };
  const pages = new PagesRead(pool);
  const store = new OperationStore({ schema: 'wallet', pool: pages } as never, [world.kind], LEASE_MS);
  const attempt = { step: 1, attempt: 1, finalized: false, settled: false };
  const unreadable = () => {};
  const loops = {
    renew: () => store.renew([lease]),
    visits: () => store.noteVisits([{ ...lease, attempt } as never]),
    claim: () => store.claim(['transfer'], 10, { unreadable }),
    claimButHeld: () => store.claim(['transfer'], 10, { held: { all: false, agentIds: [newId()] }, unreadable }),
    awaiting: () => store.claimAwaiting(['transfer'], 10, undefined),
  };
  const read: Record<string, number> = {};
  for (const [name, round] of Object.entries(loops)) {
    await round();
    read[name] = pages.take();
  }
  return read;
}

it('a round of each loop reads as much with 60,000 operations that are over, leased or waiting as with one', async () => {
  await addOperations(1, 'submitted', '1 hour');
  const few = await pagesOfLoops();
  await addOperations(MANY, 'confirmed', null);
  await addOperations(MANY, 'submitted', '1 hour');
  await addOperations(MANY, 'awaiting_approval', '1 hour');
  const many = await pagesOfLoops();
  expect(Object.entries(many).filter(([name, pages]) => pages > few[name]! + DEEPER)).toEqual([]);
});
