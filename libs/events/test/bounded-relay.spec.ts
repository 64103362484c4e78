import { PagesRead, openTestDatabase, type TestDatabase } from '@agent-wallet/testing';
import { afterAll, beforeAll, expect, it } from '@jest/globals';
import type { Database } from '@agent-wallet/platform';
import { publishOutbox } from '../src/relay/publish-outbox.js';
import { AwaitedPublisher } from '../src/relay/awaited-publisher.js';
import { fillOutbox, openProducerAndLog } from './support.js';

// What the relay and the consumer read each second, over an outbox and a log of two sizes.

const MANY = 20_000;
/** Pages that the indexes may be deeper. */
const DEEPER = 30;

let test: TestDatabase;
let producer: Database;
let log: Database;
beforeAll(async () => {
  test = await openTestDatabase();
  ({ producer, log } = await openProducerAndLog(test));
});
afterAll(async () => {
  await Promise.all([producer.close(), log.close()]);
  await test.close();
});

async function pagesOfPruning(): Promise<number> {
  await log.pool.query('analyze');
  const pages = new PagesRead(log.pool);
  await pages.query(`select prune(1000000, interval '1 hour', 1000)`);
  return pages.take();
}

/** Publishes a batch under the relay's lock, which fails afterwards, so that the outbox stays as it is. */
async function pagesOfBatch(): Promise<number> {
  await producer.pool.query('analyze');
  const pages = new PagesRead(producer.pool);
  const published = new AwaitedPublisher({ publish: () => Promise.reject(new Error('down')) }, 1_000);
  const transaction = (work: (tx: PagesRead) => Promise<unknown>) => work(pages);
  await expect(publishOutbox({ schema: 'producer', pool: pages, transaction } as never, published)).rejects.toThrow(
    'down',
  );
  return pages.take();
}

it('a batch of the relay reads as much with 20,000 events behind it as with none', async () => {
  await fillOutbox(
    producer,
    Array.from({ length: 500 }, () => 10),
  );
  const few = await pagesOfBatch();
  await fillOutbox(
    producer,
    Array.from({ length: MANY }, () => 10),
  );
  expect(await pagesOfBatch()).toBeLessThanOrEqual(few + DEEPER);
});

it('a round of pruning reads as much with 20,000 events that are kept as with 1,000', async () => {
  const add = (count: number) =>
    log.pool.query(
      `insert into log (position, event_id, agent_id, payload)
       select nextval('log_position'), gen_random_uuid(), gen_random_uuid(), 'x' from generate_series(1, $1)`,
      [count],
    );
  await add(1_000);
  const few = await pagesOfPruning();
  await add(MANY);
  expect(await pagesOfPruning()).toBeLessThanOrEqual(few + DEEPER);
});
