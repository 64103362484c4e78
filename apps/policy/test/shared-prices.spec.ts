import { openPriceReader, type PriceReader, type PriceSource } from '@agent-wallet/prices';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import { SharedPriceSource, type SharedPriceSourceOptions } from '../src/adapters/shared-price-source.js';
import type { QueryConfig } from 'pg';
import type { Queryable } from '@agent-wallet/platform';
import { openPolicyDatabase, type PolicyDatabase } from './database.js';

const SOL = 'So11111111111111111111111111111111111111112';
const USDC = 'EPjFWdd5AufqSSqeM2qN1xzybapC8G4wEGGkZwyTDt1v';
const MINUTE_MS = 60_000;
const OTHER_CLAIM = '00000000-0000-4000-8000-000000000001';

let database: PolicyDatabase;
let nowMs: number;
let calls: { readonly atMs: number; readonly mints: readonly string[] }[];
let answer: () => Promise<void>;

const clock = { nowMs: () => nowMs };
const pause = async (durationMs: number) => {
  nowMs += durationMs;
};
const api: PriceSource = {
  read: async (mints) => {
    const readAtMs = nowMs;
    calls.push({ atMs: nowMs, mints });
    await answer();
    const entry = (mint: string) => (mint.startsWith('unpriced') ? undefined : '{"usdPrice":1.5,"decimals":6}');
    return new Map(mints.map((mint) => [mint, { readAtMs, entry: entry(mint) }]));
  },
};

beforeAll(async () => {
  database = await openPolicyDatabase();
});
afterAll(() => database.close());
beforeEach(async () => {
  await database.rows('delete from price_entries');
  await database.rows('delete from price_pace');
  nowMs = 1_700_000_000_000;
  await database.stopClock(new Date(nowMs).toISOString());
  calls = [];
  answer = async () => undefined;
});

const openSource = (favored: readonly string[] = [], options: Partial<SharedPriceSourceOptions> = {}) =>
  new SharedPriceSource({ pool: database.policy.pool, api, clock, favored, readsPerMinute: 24, pause, ...options });
const openReplica = (favored?: readonly string[]): PriceReader =>
  openPriceReader({ source: openSource(favored), clock });

/** Returns the most calls in any minute. */
function mostInAMinute(): number {
  const times = calls.map(({ atMs }) => atMs);
  return Math.max(...times.map((from) => times.filter((at) => at >= from && at < from + MINUTE_MS).length));
}

describe('prices that replicas share', () => {
  it('are read once for all of them, also where there is none', async () => {
    const replicas = Array.from({ length: 6 }, () => openReplica());
    const found = await Promise.all(replicas.map((replica) => replica.prices([SOL, 'unpriced'])));
    expect(found.map((prices) => [...prices.keys()])).toEqual(replicas.map(() => [SOL]));
    expect(calls.map(({ mints }) => [...mints].sort())).toEqual([[SOL, 'unpriced'].sort()]);
  });

  it('of six replicas that all ask every second take less than 24 calls a minute', async () => {
    const replicas = Array.from({ length: 6 }, () => openReplica());
    for (let second = 0; second < 180; second += 1) {
      for (const replica of replicas) expect((await replica.prices([SOL, USDC])).size).toBe(2);
      nowMs += 1_000;
    }
    expect(mostInAMinute()).toBeLessThanOrEqual(20);
    expect(calls.every(({ mints }) => mints.length === 2)).toBe(true);
  });

  it('of ever new tokens take 24 calls in no minute more, and up to 50 tokens in each', async () => {
    const replicas = Array.from({ length: 6 }, () => openReplica());
    let served = 0;
    for (let i = 0; nowMs < 1_700_000_000_000 + 3 * MINUTE_MS; i += 1) {
      const mints = Array.from({ length: 20 }, (_, n) => `mint-${i}-${n}`);
      const prices = await replicas[i % 6]!.prices([SOL, ...mints]).catch(() => undefined);
      served += prices?.size ?? 0;
      nowMs += 100;
    }
    expect(mostInAMinute()).toBeLessThanOrEqual(24);
    expect(Math.max(...calls.map(({ mints }) => mints.length))).toBeLessThanOrEqual(50);
    expect(served).toBeGreaterThan(500);
  });

  it('of named tokens come at once while others ask for ever new tokens', async () => {
    const [honest, hostile] = [openReplica([SOL, USDC]), openReplica([SOL, USDC])];
    await honest.prices([SOL, USDC]);
    for (let i = 0; i < 300; i += 1) {
      // What a flood has the service wait for is not waited for here: time passes by itself.
      await hostile.prices([`flood-${i}`], { isShown: i % 2 === 0 }).catch(() => undefined);
      const before = nowMs;
      expect((await honest.prices([SOL, USDC])).size).toBe(2);
      expect(nowMs).toBe(before);
      nowMs += 200;
    }
    expect(mostInAMinute()).toBeLessThanOrEqual(24);
  });

  it('that are only shown leave two reads of a burst to decisions', async () => {
    const replica = openReplica();
    for (const mint of ['a', 'b', 'c', 'd']) await replica.prices([mint], { isShown: true });
    const shown = calls.length;
    const before = nowMs;
    expect((await replica.prices(['e'])).size).toBe(1);
    expect((await replica.prices(['f'])).size).toBe(1);
    expect(nowMs).toBe(before);
    expect(shown).toBeLessThan(4);
  });

  it('that are only shown come without what is not to be had in a second', async () => {
    const replica = openReplica();
    for (const mint of ['a', 'b', 'c', 'd']) await replica.prices([mint]);
    const prices = await replica.prices(['a', 'e'], { isShown: true });
    expect([...prices.keys()]).toEqual(['a']);
  });

  it('are refused to a decision for which no read is left in five seconds', async () => {
    await database.rows('insert into price_pace (due_at_ms) values ($1)', nowMs + 12_000);
    answer = async () => Promise.reject(new Error('must not be asked'));
    const stuck = openSource([], { pause: async () => undefined });
    await expect(stuck.read(['a'], { readAfterMs: 0, isShown: false })).rejects.toMatchObject({
      code: 'UPSTREAM_TIMEOUT',
    });
    expect(calls).toEqual([]);
  });
});

describe('a read that fails or never ends', () => {
  it('frees its tokens, and fails its caller alone', async () => {
    const [first, second] = [openReplica(), openReplica()];
    answer = () => Promise.reject(new Error('away'));
    await expect(first.prices([SOL])).rejects.toThrow('away');
    answer = async () => undefined;
    expect((await second.prices([SOL])).size).toBe(1);
  });

  it('of a replica that died makes the next caller wait for two and a half seconds', async () => {
    const [source, before] = [openSource(), nowMs];
    await database.rows('select claim_price_read(gen_random_uuid(), $1, $2, $3, 0, 3000, 4)', [SOL], [], nowMs);
    expect((await source.read([SOL], { readAfterMs: 0, isShown: false })).size).toBe(1);
    expect(nowMs - before).toBeGreaterThan(2_500);
    expect(nowMs - before).toBeLessThan(2_700);
  });

  it('and whose claim has ended leaves a newer entry as it is', async () => {
    const [slow, quick] = [openSource(), openSource()];
    const startedMs = nowMs;
    answer = async () => {
      answer = async () => undefined;
      nowMs += 2_501;
      await quick.read([SOL], { readAfterMs: 0, isShown: false });
    };
    const late = await slow.read([SOL], { readAfterMs: 0, isShown: false });
    expect(late.get(SOL)?.readAtMs).toBe(startedMs);
    const stored = await openSource().read([SOL], { readAfterMs: 0, isShown: false });
    expect(stored.get(SOL)?.readAtMs).toBe(nowMs);
  });

  it('and whose claim has ended does not end the claim of another', async () => {
    const slow = openSource();
    answer = async () => {
      nowMs += 2_501;
      await database.rows('select claim_price_read($1, $2, $3, $4, 0, 3000, 4)', OTHER_CLAIM, [SOL], [], nowMs);
      throw new Error('away');
    };
    await expect(slow.read([SOL], { readAfterMs: 0, isShown: false })).rejects.toThrow('away');
    expect(await database.rows('select claim_id from price_entries')).toEqual([{ claim_id: OTHER_CLAIM }]);
  });

  it('fails with the error of the upstream when its claim cannot be released', async () => {
    const { pool } = database.policy;
    const failing: Queryable = {
      query: (async (query: QueryConfig) => {
        if (query.name === 'policy-store-price-read') throw new Error('the database is away');
        return pool.query(query);
      }) as Queryable['query'],
    };
    answer = () => Promise.reject(new Error('the aggregator is away'));
    const reading = openSource([], { pool: failing }).read([SOL], { readAfterMs: 0, isShown: false });
    await expect(reading).rejects.toThrow('the aggregator is away');
  });

  it('keeps an older entry for those that may still use it', async () => {
    const source = openSource();
    await source.read([SOL], { readAfterMs: 0, isShown: false });
    nowMs += 10_000;
    answer = () => Promise.reject(new Error('away'));
    await expect(source.read([SOL], { readAfterMs: nowMs - 5_000, isShown: false })).rejects.toThrow('away');
    expect((await source.read([SOL], { readAfterMs: nowMs - 30_000, isShown: true })).size).toBe(1);
  });
});

describe('times of other clocks', () => {
  it('that are far ahead do not hold up the pace', async () => {
    await database.rows('insert into price_pace (due_at_ms) values ($1)', nowMs + 3_600_000);
    const before = nowMs;
    expect((await openReplica().prices([SOL])).size).toBe(1);
    expect(nowMs).toBe(before);
  });

  it('that are five seconds ahead make no entry newer than it is', async () => {
    const ahead = { nowMs: () => nowMs + 5_000 };
    const askedMs = nowMs;
    const askAhead: PriceSource = {
      read: async (mints) => new Map(mints.map((mint) => [mint, { readAtMs: ahead.nowMs(), entry: '{}' }])),
    };
    await openSource([], { clock: ahead, api: askAhead }).read([SOL], { readAfterMs: 0, isShown: false });
    nowMs += 1_500;
    await database.stopClock(new Date(nowMs).toISOString());
    const found = await openSource().read([SOL], { readAfterMs: 0, isShown: true });
    expect(found.get(SOL)?.readAtMs).toBe(askedMs);
    await openSource().read([SOL], { readAfterMs: askedMs + 1_000, isShown: false });
    expect(calls).toHaveLength(1);
  });

  it('that are five seconds behind make it older, never newer', async () => {
    const behind = { nowMs: () => nowMs - 5_000 };
    const source = openSource([], { clock: behind });
    await openSource().read([SOL], { readAfterMs: 0, isShown: false });
    const found = await source.read([SOL], { readAfterMs: 0, isShown: true });
    expect(found.get(SOL)!.readAtMs).toBeLessThanOrEqual(behind.nowMs());
  });

  it('must not make an entry newer than it is: a second reading is read again', async () => {
    const [first, second] = [openSource(), openSource()];
    await first.read([SOL], { readAfterMs: 0, isShown: false });
    nowMs += 1_000;
    const found = await second.read([SOL], { readAfterMs: nowMs - 1, isShown: false });
    expect(found.get(SOL)?.readAtMs).toBe(nowMs);
    expect(calls).toHaveLength(2);
  });
});

it('forgets tokens that were not wanted for ten minutes', async () => {
  const replica = openReplica();
  await replica.prices(['old']);
  nowMs += 600_001;
  await replica.prices([SOL]);
  expect(await database.rows('select mint from price_entries')).toEqual([{ mint: SOL }]);
});
