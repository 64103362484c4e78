import { setImmediate as tick } from 'node:timers/promises';
import { Secret } from '@agent-wallet/kernel';
import { type Database, openDatabase } from '@agent-wallet/platform';
import { openMigratedDatabase, silent } from '@agent-wallet/platform/testing';
import type { TestConnection } from '@agent-wallet/testing';
import { predictionMigrations } from '../src/index.js';
import { PostgresExchangeQuota } from '../src/adapters/exchange/postgres-exchange-quota.js';
import { type Sleep, WriteQueue } from '../src/adapters/exchange/write-queue.js';

// The service's role may neither replace the clock nor needs to.
const OWN_CLOCK = `
  create table test_clock (ms bigint not null);
  insert into test_clock values (1700000000000);
  create or replace function bucket_now() returns timestamptz language sql volatile as $$
    select to_timestamp(ms / 1000.0) from test_clock $$;
  update exchange_buckets set counted_at = bucket_now()`;

/** The quota of a database whose clock advances only when a replica sleeps. */
export interface QuotaUnderTest {
  readonly quota: PostgresExchangeQuota;
  readonly database: Database;
  /** Virtual milliseconds since the start. */
  nowMs(): number;
  /** A copy of the service that takes part in the queue, and sleeps in virtual time. */
  copy(): WriteQueue;
  /** Lets virtual time go by, sleeper after sleeper, until the promise is settled or so much of it has gone by. */
  run(until: Promise<unknown>, maxMs?: number): Promise<void>;
  advance(ms: number): Promise<void>;
  /** Restores the buckets of the migration, an empty queue and virtual time 0. */
  reset(): Promise<void>;
  close(): Promise<void>;
}

interface Sleeper {
  readonly atMs: number;
  readonly wake: () => void;
}

export async function openQuota(clock: 'virtual' | 'real' = 'virtual'): Promise<QuotaUnderTest> {
  const test = await openMigratedDatabase([predictionMigrations], { ownedApart: ['prediction'] });
  const owner = openAs(test.schemas.prediction_owner);
  if (clock === 'virtual') await owner.pool.query(OWN_CLOCK);
  const database = openAs(test.schemas.prediction);
  const quota = new PostgresExchangeQuota(database.pool);
  const sleepers = new Set<Sleeper>();
  const queues: WriteQueue[] = [];
  let nowMs = 0;
  let underWay = 0;
  const watched: Pick<PostgresExchangeQuota, 'visit' | 'pause'> = {
    visit: async (...visit) => {
      underWay += 1;
      return quota.visit(...visit).finally(() => (underWay -= 1));
    },
    pause: (bucket) => quota.pause(bucket),
  };
  const sleep: Sleep = (ms, signal) =>
    new Promise<void>((resolve) => {
      const sleeper = { atMs: nowMs + ms, wake: () => (sleepers.delete(sleeper), resolve()) };
      sleepers.add(sleeper);
      signal.addEventListener('abort', sleeper.wake, { once: true });
      if (signal.aborted) sleeper.wake();
    });
  const advance = async (ms: number) => {
    nowMs += ms;
    await owner.pool.query('update test_clock set ms = ms + $1', [ms]);
  };
  const run = async (until: Promise<unknown>, maxMs = 3_600_000) => {
    let settled = false;
    const settle = () => void (settled = true);
    until.then(settle, settle);
    const endMs = nowMs + maxMs;
    for (;;) {
      // Each woken replica runs until it sleeps again or queries the database.
      for (let quiet = 0; quiet < 5; quiet = underWay === 0 ? quiet + 1 : 0) await tick();
      if (settled || nowMs >= endMs) return;
      const next = [...sleepers].sort((a, b) => a.atMs - b.atMs)[0];
      await advance(Math.max(1, Math.min(next ? next.atMs - nowMs : 10, endMs - nowMs)));
      for (const one of [...sleepers]) if (one.atMs <= nowMs) one.wake();
    }
  };
  return {
    quota,
    database,
    nowMs: () => nowMs,
    copy: () => {
      const queue = new WriteQueue({ quota: watched, logger: silent, sleep });
      queues.push(queue);
      return queue;
    },
    run,
    advance,
    reset: async () => {
      for (const queue of queues.splice(0)) {
        const closed = queue.close();
        for (const one of [...sleepers]) one.wake();
        await closed;
      }
      await database.pool.query('delete from exchange_queue');
      await database.pool.query('delete from exchange_fair_shares');
      await database.pool.query('delete from exchange_replicas');
      await database.pool.query(`update exchange_buckets set tokens = 0, counted_at = bucket_now(), pauses = 0,
        paused_until = '-infinity', served_tag = 0`);
      await quota.resize('write', { tokensPerSecond: 100, capacity: 100 });
      await quota.resize('read', { tokensPerSecond: 200, capacity: 200 });
    },
    close: async () => {
      await Promise.all([database.close(), owner.close()]);
      await test.close();
    },
  };
}

function openAs(connection: TestConnection): Database {
  const options = { schema: 'prediction', logger: silent, maxConnections: 5 };
  return openDatabase({ ...options, connection: { ...connection, password: new Secret(connection.password) } });
}

/** The exchange's own bucket. */
export class ExchangeBucket {
  #tokens: number;
  #atMs = 0;

  constructor(
    private readonly perSecond: number,
    private readonly capacity: number,
  ) {
    this.#tokens = capacity;
  }

  /** Whether a call at that moment is let in. */
  lets(atMs: number, cost: number): boolean {
    this.#tokens = Math.min(this.capacity, this.#tokens + ((atMs - this.#atMs) * this.perSecond) / 1_000);
    this.#atMs = atMs;
    if (this.#tokens < cost) return false;
    this.#tokens -= cost;
    return true;
  }
}
