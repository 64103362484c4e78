import { newId, systemClock } from '@agent-wallet/kernel';
import { openDatabase } from '@agent-wallet/platform';
import { silent } from '@agent-wallet/platform/testing';
import { eventually } from '@agent-wallet/testing';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import { JupiterAggregator } from '../src/adapters/jupiter-aggregator.js';
import { JupiterHttp } from '../src/adapters/jupiter-http.js';
import { PostgresRequestBudget } from '../src/adapters/postgres-request-budget.js';
import type { Caller, RequestClaim } from '../src/ports/request-budget.js';
import { openSwapDatabase } from './database.js';
import { orderJson } from './order-responses.js';
import { json, startScriptedAggregator } from './scripted-aggregator.js';

const ALLOWANCE = 60;

let schema: Awaited<ReturnType<typeof openSwapDatabase>>;

beforeAll(async () => {
  schema = await openSwapDatabase();
});
afterAll(() => schema.close());
beforeEach(async () => {
  await schema.database.pool.query('delete from request_counts');
  await schema.database.pool.query('delete from aggregator_waiters');
  await schema.database.pool.query(`update aggregator_pauses set until_at = '-infinity'`);
});

/** The budget as a replica of the service has it. */
const replica = (requestsPerMinute = ALLOWANCE, timeoutMs = 100) =>
  new PostgresRequestBudget(schema.database.pool, { requestsPerMinute, timeoutMs });

const real = (agentId = newId(), requests = 1): RequestClaim => ({ agentId, isReal: true, requests });
const dry = (agentId = newId(), requests = 1): RequestClaim => ({ agentId, isReal: false, requests });

/** Takes a claim repeatedly, one after the other. @returns how many were granted */
async function count(budget: PostgresRequestBudget, claim: RequestClaim, times: number): Promise<number> {
  let taken = 0;
  for (let i = 0; i < times; i++) {
    taken += await budget.take(claim).then(
      () => 1,
      () => 0,
    );
  }
  return taken;
}

/** Takes claims all at once, in turns at all replicas. @returns how many were granted */
async function countAtOnce(budgets: readonly PostgresRequestBudget[], claims: readonly RequestClaim[]) {
  const results = await Promise.allSettled(claims.map((claim, i) => budgets[i % budgets.length]!.take(claim)));
  return results.filter(({ status }) => status === 'fulfilled').length;
}

const repeated = (claim: RequestClaim, times: number) => Array.from({ length: times }, () => claim);

/** Waits until that many callers wait in the database. */
const waitFor = (waiters: number) =>
  eventually(async () => {
    const statement = 'select count(*)::int as n from aggregator_waiters';
    return (await schema.database.pool.query<{ n: number }>(statement)).rows[0]!.n === waiters;
  });

describe('dry runs', () => {
  it.each([1, 4, 10, 100])('of %d agents leave a trader beside them all it needs', async (attackers) => {
    const replicas = [replica(), replica()];
    const flood = Array.from({ length: attackers }, () => newId()).flatMap((agentId) => repeated(dry(agentId), 28));
    const victim = real();
    const during = countAtOnce(replicas, flood.slice(0, 1_000));
    expect(await count(replicas[0]!, victim, 15)).toBe(15);
    expect(await during).toBeLessThanOrEqual(ALLOWANCE / 2);
    expect(await count(replicas[1]!, victim, 15)).toBe(15);
  });

  it('of all agents together have half', async () => {
    expect(await count(replica(), dry(), 40)).toBe(30);
  });

  it('of one agent fit in by the dozen beside trades of another', async () => {
    const agentId = newId();
    expect(await count(replica(), real(), 9)).toBe(9);
    expect(await count(replica(), dry(agentId), 28)).toBe(28);
  });

  it('of others leave room for the next agent’s', async () => {
    const agents = [newId(), newId(), newId(), newId()];
    const claims = Array.from({ length: 28 }, () => agents.map((agentId) => dry(agentId))).flat();
    await countAtOnce([replica(), replica()], claims);
    expect(await count(replica(), dry(), 3)).toBe(3);
  });

  it('keep out of the last quarter, where real trades come', async () => {
    const hogs = [newId(), newId()];
    await countAtOnce(
      [replica()],
      hogs.flatMap((agentId) => repeated(real(agentId), 22)),
    );
    await count(replica(), dry(), 10);
    expect(await count(replica(), real(), 14)).toBe(14);
  });
});

describe('real trades', () => {
  it('of an agent alone leave the last quarter to the next agent', async () => {
    expect(await count(replica(), real(), 70)).toBe(ALLOWANCE - ALLOWANCE / 4);
    expect(await count(replica(), real(), 10)).toBe(10);
  });

  it.each([2, 4])('of %d agents that want all leave room for the next agent’s', async (hogs) => {
    const claims = Array.from({ length: hogs }, () => newId());
    const turns = Array.from({ length: 50 }, () => claims.map((agentId) => real(agentId))).flat();
    await countAtOnce([replica(), replica()], turns);
    expect(await count(replica(), real(), 10)).toBe(10);
  });
});

describe('a hundred agents that trade and dry run as much as they can', () => {
  it('leave the next agent its equal share, from the first minute on', async () => {
    const agents = Array.from({ length: 100 }, () => newId());
    const claims = Array.from({ length: 8 }, () => agents.flatMap((agentId) => [real(agentId), dry(agentId)])).flat();
    const budgets = [replica(600), replica(600)];
    await countAtOnce(budgets, claims);
    const victim = newId();
    expect(await count(budgets[0]!, real(victim, 2), 1)).toBe(1);
    expect(await count(budgets[1]!, real(victim), 1)).toBe(1);
  });
});

describe('a claim of two requests', () => {
  it('takes both or none', async () => {
    const agentId = newId();
    const budget = replica(5);
    expect(await count(budget, real(agentId, 2), 3)).toBe(2);
    expect(await count(budget, real(), 3)).toBe(1);
  });
});

describe('agents that trade the same token at once, whose warnings are not known', () => {
  const SOL = 'So11111111111111111111111111111111111111112';
  const USDC = 'EPjFWdd5AufqSSqeM2qN1xzybapC8G4wEGGkZwyTDt1v';
  const QUESTION = { inputMint: SOL, outputMint: USDC, amount: 10n, taker: USDC, slippageBps: 50 };
  const ORDER = orderJson({ ...QUESTION, inAmount: 10n, outAmount: 20n, transaction: 'AAAA' });

  /** Makes an inquiry of each caller at once. @returns their outcomes, and the requests that the aggregator got */
  async function inquireAtOnce(budget: PostgresRequestBudget, callers: readonly Caller[]) {
    const server = await startScriptedAggregator(({ path }, response) =>
      json(response, path.endsWith('order') ? ORDER : { warnings: {} }),
    );
    const http = new JupiterHttp({ baseUrl: server.url, clock: systemClock });
    const parts = { http, budget, clock: systemClock, logger: silent };
    const aggregator = new JupiterAggregator({ ...parts, swapPath: '/swap/v2', allowsCosigned: false });
    const ask = async (caller: Caller) => {
      const inquiry = aggregator.inquire(caller);
      await inquiry.warnings([SOL]);
      await inquiry.order(QUESTION);
    };
    const outcomes = await Promise.allSettled(callers.map(ask));
    http.close();
    await server.close();
    return { outcomes: outcomes.map(({ status }) => status), asked: server.asked.length };
  }

  async function taken(): Promise<number> {
    const statement = 'select coalesce(sum(requests), 0)::int as n from request_counts';
    return (await schema.database.pool.query<{ n: number }>(statement)).rows[0]!.n;
  }

  it.each([
    ['real trades', true],
    ['dry runs', false],
  ])('take one request for them, and one each for the orders of %s', async (_what, isReal) => {
    const callers = Array.from({ length: 20 }, () => ({ agentId: newId(), isReal }));
    const { outcomes, asked } = await inquireAtOnce(replica(100, 3_000), callers);
    expect(outcomes).toEqual(callers.map(() => 'fulfilled'));
    expect([asked, await taken()]).toEqual([21, 21]);
  });

  it('are not refused with the one that asked first and has used up its share', async () => {
    const hog = newId();
    await count(replica(), real(hog), 70);
    const callers = [hog, newId(), newId()].map((agentId) => ({ agentId, isReal: true }));
    const { outcomes } = await inquireAtOnce(replica(), callers);
    expect(outcomes).toEqual(['rejected', 'fulfilled', 'fulfilled']);
  });
});

describe('callers that wait', () => {
  /** Lets claims wait for the end of a pause, one after the other. @returns their names as they are served, and who was not */
  async function servedAfterPause(claims: Readonly<Record<string, RequestClaim>>, allowance: number) {
    const replicas = [replica(allowance, 3_000), replica(allowance, 3_000)];
    await replicas[0]!.pause('ask', 1_000);
    const served: string[] = [];
    const refused: string[] = [];
    const calls: Array<Promise<void>> = [];
    for (const [name, claim] of Object.entries(claims)) {
      const call = replicas[calls.length % 2]!.take(claim);
      calls.push(
        call.then(
          () => void served.push(name),
          () => void refused.push(name),
        ),
      );
      await waitFor(calls.length);
    }
    await Promise.all(calls);
    return { served, refused };
  }

  it('are served at all replicas in turns: a real trade before dry runs', async () => {
    await count(replica(), real(), 5);
    const claims = { dry: dry(), real: real(newId(), 3) };
    expect(await servedAfterPause(claims, 8)).toEqual({ served: ['real'], refused: ['dry'] });
  });

  it('are served in turns: the agent that asked less, then the one that came first', async () => {
    const busy = newId();
    await count(replica(), real(busy), 1);
    await count(replica(), real(), 5);
    const claims = { busy: real(busy, 2), first: real(newId(), 2), second: real(newId(), 2) };
    const { served } = await servedAfterPause(claims, 8);
    expect(served).toEqual(['first']);
  });

  it('of one agent take turns with another’s', async () => {
    const many = newId();
    await count(replica(), real(), 2);
    const claims = { one: real(many), two: real(many), three: real(many), other: real() };
    const { served } = await servedAfterPause(claims, 4);
    expect(served.sort()).toEqual(['one', 'other']);
  });

  it('and die are not waited for', async () => {
    const dying = openDatabase({ connection: schema.connection, schema: 'swap', logger: silent, maxConnections: 1 });
    await count(replica(), real(), 2);
    await replica().pause('ask', 800);
    const dead = new PostgresRequestBudget(dying.pool, { requestsPerMinute: 4, timeoutMs: 3_000 }).take(
      real(newId(), 2),
    );
    dead.catch(() => undefined);
    await waitFor(1);
    await dying.close();
    await replica(4, 3_000).take(real(newId(), 2));
    await expect(dead).rejects.toThrow();
  });

  it('and are refused leave the queue', async () => {
    const budget = replica(ALLOWANCE, 3_000);
    await budget.pause('ask', 1_000);
    const call = expect(budget.take(real())).rejects.toMatchObject({ code: 'SERVICE_UNAVAILABLE' });
    await waitFor(1);
    await budget.pause('ask', 30_000);
    await call;
    await waitFor(0);
  });

  it('by a clock that was ahead are not waited for', async () => {
    await count(replica(), real(), 2);
    await schema.database.pool.query(
      `insert into aggregator_waiters
       values (gen_random_uuid(), gen_random_uuid(), true, 2, clock_timestamp(), clock_timestamp() + interval '1 hour')`,
    );
    await replica(4).take(real(newId(), 2));
  });
});
