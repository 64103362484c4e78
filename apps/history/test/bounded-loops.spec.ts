import { PagesRead } from '@agent-wallet/testing';
import { newId } from '@agent-wallet/kernel';
import { afterAll, beforeAll, expect, it } from '@jest/globals';
import { appendEvents } from '../src/adapters/append-events.js';
import { ChainEnds } from '../src/adapters/chain-ends.js';
import { PostgresCheckpointStore } from '../src/adapters/postgres-checkpoint-store.js';
import { openTestStore, type TestStore } from './support.js';

// What runs under the log's lock or every few seconds, over logs of two sizes.

const MANY = 20_000;
/** Pages that the indexes may be deeper. */
const DEEPER = 40;

let test: TestStore;
beforeAll(async () => {
  test = await openTestStore();
});
afterAll(() => test.close());

/** Appends an event and signs a checkpoint; returns the pages that each has read, and of a round with nothing to sign. */
async function pagesOfRound(): Promise<Record<string, number>> {
  const agentId = newId();
  const read: Record<string, number> = {};
  await test.history.transaction(async (tx) => {
    const pages = new PagesRead({ query: (text: string, values?: unknown[]) => tx.query(text, values) });
    const ends = new ChainEnds();
    const event = { eventId: newId(), agentId, occurredAtMs: 1, payload: Buffer.from('a') };
    await ends.find(pages as never, [event as never]);
    read.find = pages.take();
    await appendEvents(tx, [event as never], ends);
  });
  const counted = new PagesRead(test.history.pool);
  const store = new PostgresCheckpointStore({
    schema: 'history',
    pool: counted,
    transaction: (work: (tx: PagesRead) => Promise<unknown>) => work(counted),
  } as never);
  const extend = () =>
    store.extend(async (claims) =>
      claims.map((claim) => ({ ...claim, signedAtMs: 1, signature: Buffer.alloc(64), keyId: 'k' }) as never),
    );
  await extend();
  read.sign = counted.take();
  await extend();
  read.idle = counted.take();
  return read;
}

it('an append and a checkpoint read as much with 20,000 signed events as with none', async () => {
  await test.rows('analyze');
  await pagesOfRound();
  const few = await pagesOfRound();
  await test.rows(
    `insert into events (position, event_id, agent_id, occurred_at, agent_seq, previous_hash, hash, payload)
     select (select max(position) from events) + n, gen_random_uuid(), md5((n % 100)::text)::uuid, now(), n,
       sha256(''), sha256(''), 'x' from generate_series(1, $1::int) n`,
    MANY,
  );
  await test.rows(
    `insert into log_batches (last_position, hash) select position, hash from events
     where position > (select max(last_position) from log_batches)`,
  );
  await test.rows(
    `insert into checkpoints (scope, size, root_hash, signed_at_ms, signature, key_id)
     select scope, n, sha256(''), 1, decode(repeat('00', 64), 'hex'), 'k'
     from (select max(position) as last from events) e, generate_series(last - $1::int + 1, last) n,
       unnest(array['log', 'agent:' || gen_random_uuid()]) scope`,
    MANY,
  );
  await test.rows('analyze');
  await pagesOfRound();
  const many = await pagesOfRound();
  expect(Object.entries(many).filter(([name, pages]) => pages > few[name]! + DEEPER)).toEqual([]);
});
