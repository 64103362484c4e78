import { afterAll, beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import { newId } from '@agent-wallet/kernel';
import type { WriteQueue } from '../src/adapters/exchange/write-queue.js';
import { ExchangeBucket, openQuota, type QuotaUnderTest } from './quota-support.js';

const COST = 10;

let test: QuotaUnderTest;
let turns: Array<{ readonly agent: string; readonly atMs: number }>;
let never: AbortSignal;

beforeAll(async () => {
  test = await openQuota();
});
afterAll(() => test.close());
beforeEach(async () => {
  await test.reset();
  turns = [];
  never = new AbortController().signal;
});

/** An order in a queue; what became of it. */
function order(queue: WriteQueue, agentId: string, over: { signal?: AbortSignal; operationId?: string } = {}) {
  const wanted = { operationId: newId(), agentId, cost: COST, signal: never, ...over };
  return queue.take(wanted).then((given) => {
    if (given) turns.push({ agent: agentId, atMs: test.nowMs() });
    return given;
  });
}

const orders = (queue: WriteQueue, agentId: string, count: number) =>
  Array.from({ length: count }, () => order(queue, agentId));

const countOf = (agent: string, from = 0, to = Infinity) =>
  turns.filter((turn) => turn.agent === agent && turn.atMs >= from && turn.atMs < to).length;

/** How many turns came in a time, and whether the exchange would have let all in, however late each is by turns. */
function usage(fromMs: number, toMs: number) {
  const inTime = turns.filter(({ atMs }) => atMs >= fromMs && atMs < toMs);
  const arrivals = inTime.map(({ atMs }, i) => atMs + (i % 4) * 60).sort((a, b) => a - b);
  const bucket = new ExchangeBucket(100, 100);
  return {
    share: (inTime.length * COST) / (((toMs - fromMs) / 1_000) * 100),
    refused: arrivals.filter((atMs) => !bucket.lets(atMs, COST)).length,
  };
}

describe('under load', () => {
  it('two copies use at least 95 % of the quota, and the exchange never says that it is too much', async () => {
    const copies = [test.copy(), test.copy()];
    const startMs = test.nowMs();
    const all = Array.from({ length: 10 }, newId).flatMap((agent, i) => orders(copies[i % 2]!, agent, 20));
    await test.run(Promise.all(all), 15_000);
    const { share, refused } = usage(startMs, startMs + 15_000);
    expect(share).toBeGreaterThanOrEqual(0.95);
    expect(share).toBeLessThanOrEqual(1);
    expect(refused).toBe(0);
  });

  it('each agent gets the same, however many orders it has and whichever copy it asked', async () => {
    const copies = [test.copy(), test.copy()];
    const [greedy, ...others] = Array.from({ length: 8 }, newId);
    const startMs = test.nowMs();
    const all = [...orders(copies[0]!, greedy!, 100), ...others.flatMap((a, i) => orders(copies[i % 2]!, a, 15))];
    await test.run(Promise.all(all), 10_000);
    const counts = [greedy!, ...others].map((agent) => countOf(agent, startMs, startMs + 9_500));
    expect(Math.max(...counts) - Math.min(...counts)).toBeLessThanOrEqual(1);
    expect(Math.min(...counts)).toBeGreaterThanOrEqual(11);
  });

  it('who comes late is served within one round, and who asks one after the other gets its share', async () => {
    const queue = test.copy();
    const crowd = Array.from({ length: 5 }, newId);
    const backlog = crowd.flatMap((agent) => orders(queue, agent, 30));
    await test.run(new Promise(() => undefined), 3_000);
    const late = newId();
    const startMs = test.nowMs();
    const first = order(queue, late);
    await test.run(first);
    expect(test.nowMs() - startMs).toBeLessThanOrEqual(crowd.length * 105 + 105);
    const oneByOne = async () => {
      for (let i = 0; i < 8; i += 1) await order(queue, late);
    };
    const fromMs = test.nowMs();
    await test.run(oneByOne());
    const counts = crowd.map((agent) => countOf(agent, fromMs));
    expect(Math.max(...counts)).toBeLessThanOrEqual(9);
    expect(Math.min(...counts)).toBeGreaterThanOrEqual(7);
    await test.reset();
    await Promise.all(backlog);
  });
});

describe('an agent that asks for less than its share', () => {
  it('waits for no round of a hundred others, again and again', async () => {
    const queues = [test.copy(), test.copy()];
    const crowd = Array.from({ length: 100 }, newId);
    const backlog = crowd.flatMap((agent, i) => orders(queues[i % 2]!, agent, 5));
    const modest = newId();
    for (let i = 0; i < 3; i += 1) {
      // A round of all.
      await test.run(new Promise(() => undefined), 11_000);
      const startMs = test.nowMs();
      await test.run(order(queues[0]!, modest));
      expect(test.nowMs() - startMs).toBeLessThanOrEqual(2 * 105);
    }
    await test.reset();
    await Promise.all(backlog);
  });

  it('gets no more than its share by resting before it asks for much', async () => {
    const queue = test.copy();
    const crowd = Array.from({ length: 5 }, newId);
    const backlog = crowd.flatMap((agent) => orders(queue, agent, 30));
    await test.run(new Promise(() => undefined), 3_000);
    const rested = newId();
    const fromMs = test.nowMs();
    const many = orders(queue, rested, 20);
    await test.run(new Promise(() => undefined), 6_000);
    const counts = crowd.map((agent) => countOf(agent, fromMs, fromMs + 6_000));
    expect(countOf(rested, fromMs, fromMs + 6_000) - Math.min(...counts)).toBeLessThanOrEqual(2);
    await test.reset();
    await Promise.all([...backlog, ...many]);
  });
});

describe('a place in the queue', () => {
  it('is kept for an operation that leaves and comes back, at another copy, too', async () => {
    const [here, there] = [test.copy(), test.copy()];
    const agent = newId();
    const operationId = newId();
    await test.quota.pause('write');
    const leaving = new AbortController();
    const left = order(here, agent, { operationId, signal: leaving.signal });
    const rest = Array.from({ length: 20 }, () => order(here, newId()));
    await test.run(new Promise(() => undefined), 20);
    leaving.abort();
    expect(await left).toBeUndefined();
    await test.run(new Promise(() => undefined), 20);
    const back = order(there, agent, { operationId });
    await test.run(Promise.all([back, ...rest]));
    const first = turns[0]!.atMs;
    expect(turns.filter(({ atMs }) => atMs === first).map((turn) => turn.agent)).toContain(agent);
  });

  it('is kept by an operation that comes back at once', async () => {
    const queue = test.copy();
    const operationId = newId();
    await test.quota.pause('write');
    const leaving = new AbortController();
    const left = order(queue, newId(), { operationId, signal: leaving.signal });
    leaving.abort();
    const back = order(queue, newId(), { operationId });
    await test.run(back);
    expect([await left, await back]).toEqual([undefined, { tag: expect.stringMatching(/^\d+$/) }]);
  });

  it('of an order that the exchange did not let in comes before all who wait', async () => {
    const queue = test.copy();
    const [agent, other] = [newId(), newId()];
    const wanted = { operationId: newId(), agentId: agent, cost: COST, signal: never };
    const first = queue.take(wanted);
    await test.run(first);
    const rest = orders(queue, other, 10);
    const own = orders(queue, agent, 3);
    await queue.pause();
    const again = queue
      .take({ ...wanted, tag: (await first)!.tag })
      .then(() => turns.push({ agent: 'again', atMs: 0 }));
    await test.run(Promise.all([again, ...rest, ...own]));
    expect(turns[0]!.agent).toBe('again');
  });

  it('of a replica that is gone delays no other replica', async () => {
    const [dead, alive] = [test.copy(), test.copy()];
    await test.quota.pause('write');
    const lost = orders(dead, newId(), 5);
    await test.run(new Promise(() => undefined), 50);
    await dead.close();
    await Promise.all(lost);
    await test.advance(3_000);
    const agent = newId();
    const startMs = test.nowMs();
    await test.run(Promise.all(orders(alive, agent, 5)));
    expect(test.nowMs() - startMs).toBeLessThanOrEqual(200);
    const { rows } = await test.database.pool.query('select 1 from exchange_queue where given_at is not null');
    expect(rows).toEqual([]);
    await test.advance(61_000);
    await test.run(Promise.all(orders(alive, agent, 1)));
    expect((await test.database.pool.query('select 1 from exchange_queue')).rows).toEqual([]);
  });
});

describe('an exchange that is asked too often', () => {
  it('is left alone by all copies for a moment, longer each time', async () => {
    const [here, there] = [test.copy(), test.copy()];
    await test.advance(1_000);
    const pauses: number[] = [];
    for (let i = 0; i < 6; i += 1) {
      const startMs = test.nowMs();
      await here.pause();
      // Another replica that was refused meanwhile does not lengthen the pause.
      await there.pause();
      await test.run(order(there, newId()));
      pauses.push(Math.floor((test.nowMs() - startMs) / 250) * 250);
    }
    expect(pauses).toEqual([250, 500, 1_000, 2_000, 4_000, 4_000]);
    await test.advance(11_000);
    const startMs = test.nowMs();
    await here.pause();
    await test.run(order(there, newId()));
    expect(test.nowMs() - startMs).toBeLessThan(500);
  });
});

describe('waiting', () => {
  it('ends with the signal, a stop, and a database that is away', async () => {
    const queue = test.copy();
    await test.quota.pause('write');
    const gone = new AbortController();
    const first = order(queue, newId(), { signal: gone.signal });
    gone.abort();
    expect(await first).toBeUndefined();
    expect(await order(queue, newId(), { signal: gone.signal })).toBeUndefined();
    const second = order(queue, newId());
    await test.reset();
    expect(await second).toBeUndefined();
    expect(await order(queue, newId())).toBeUndefined();
  });
});

describe('reads', () => {
  it('by those who only look leave a part of the bucket to operations', async () => {
    await test.advance(10_000);
    let browsed = 0;
    while ((await test.quota.takeToken(10, 0.4)) === 0) browsed += 1;
    expect(browsed).toBe(6);
    let waited = 0;
    for (let i = 0; i < 4; i += 1) waited += await test.quota.takeToken(10, 0);
    expect(waited).toBe(0);
    const waitMs = await test.quota.takeToken(10, 0);
    expect(waitMs).toBe(Math.ceil((10 / 196) * 1_000));
    await test.advance(waitMs);
    expect(await test.quota.takeToken(10, 0)).toBe(0);
  });

  it.each([1e-300, 1e300])('go on when the exchange says that there are %d tokens', async (tokens) => {
    await test.quota.resize('read', { tokensPerSecond: tokens, capacity: tokens });
    await test.quota.resize('write', { tokensPerSecond: tokens, capacity: tokens });
    await test.advance(10_000);
    expect(await test.quota.takeToken(20, 0.4)).toBe(0);
    const entry = { operationId: newId(), agentId: newId(), cost: 20, tag: null };
    expect((await test.quota.visit(newId(), [entry], [])).given).toHaveLength(1);
  });

  it('rest after the exchange was asked too often', async () => {
    await test.advance(10_000);
    expect(await test.quota.pause('read')).toBe(250);
    expect(await test.quota.takeToken(10, 0)).toBe(250);
  });
});
