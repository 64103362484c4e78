import { startTelemetry } from '@agent-wallet/telemetry';
import { eventually } from '@agent-wallet/testing';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import { watchOwners } from '../src/adapters/watch-owners.js';
import type { Client, Reply } from './client.js';
import { expectFailure } from './expect-failure.js';
import { successorOf } from './issued-tokens.js';
import { ASSERTION, Browser, FakeOwners, ORIGIN } from './owner-console.js';
import { GENEROUS } from './wallet-script.js';
import { World } from './world.js';

const SECOND_MS = 1_000;

let world: World;
let replica: string;
let fake: FakeOwners;
let people = 0;

beforeAll(async () => {
  world = await World.open({ ownerOrigin: ORIGIN, rateLimits: GENEROUS }, { finishEvictionsEveryMs: 50 });
  replica = (await world.start()).url;
});
afterAll(() => world.close());
beforeEach(async () => {
  await world.reset();
  fake = new FakeOwners(world);
  people += 1;
});

type Agent = Awaited<ReturnType<World['login']>>;

const statusAt = async (client: Client) => (await client.post('/connect/validate')).status;
const isReported = async ({ agentId }: Agent) =>
  (await world.database.pool.query('select from evictions where agent_id = $1', [agentId])).rowCount === 0;

/** What policy was asked to void. */
const voided = () =>
  fake.calls.flatMap(({ method, request }) =>
    method === 'voidOperations' ? [request as { agentId: string; askedBeforeMs: bigint }] : [],
  );

async function evictByMail({ email }: Agent): Promise<Reply> {
  const started = await world.client.post('/connect/start', { email, purpose: 'evict' });
  const otpCode = world.inbox.lastCode(email);
  return world.client.post('/connect/evict', { email, otpId: started.body.data.otpId as string, otpCode });
}

/** An owner's browser, with a passkey. */
async function newOwner(): Promise<{ browser: Browser; ownerId: string }> {
  const browser = new Browser(world.client.from(`10.9.0.${people}`));
  return { browser, ownerId: await browser.openWithPasskey(world, `person${people}@example.com`) };
}

async function evictAsOwner({ agentId }: Agent): Promise<Reply> {
  const { browser, ownerId } = await newOwner();
  fake.agents.push({ ownerId, agentId });
  return browser.post(`/owner/agents/${agentId}/evict`);
}

async function claim({ email }: Agent): Promise<Reply> {
  const { browser } = await newOwner();
  const asked = await browser.requestClaim(world, email);
  return browser.post(`/owner/approvals/${asked.body.data.approval.id as string}/approve`, { assertion: ASSERTION });
}

/** Sends a replaced token again, after its successor was used. */
async function reuse({ client }: Agent): Promise<Reply> {
  const successor = client.as(successorOf(await client.post('/connect/refresh')));
  await statusAt(successor);
  return client.post('/connect/refresh');
}

const WAYS: ReadonlyArray<[string, number, (agent: Agent) => Promise<Reply>]> = [
  ['by a mailed code', 200, evictByMail],
  ['by its owner', 200, evictAsOwner],
  ['by a claim', 200, claim],
  ['because a replaced token came again', 401, reuse],
];

describe('the end of an agent’s sessions', () => {
  it.each(WAYS)('%s voids what the agent asked for, before it is answered', async (_, status, evict) => {
    const agent = await world.login();
    const before = Date.now();
    expect((await evict(agent)).status).toBe(status);
    const [asked, ...more] = voided();
    expect([asked?.agentId, more]).toEqual([agent.agentId, []]);
    // Clocks of two replicas may differ by a second.
    expect(Number(asked!.askedBeforeMs)).toBeGreaterThanOrEqual(before + SECOND_MS);
    expect(Number(asked!.askedBeforeMs)).toBeLessThanOrEqual(Date.now() + SECOND_MS);
    expect(await isReported(agent)).toBe(true);
    expect(await statusAt(agent.client.at(replica))).toBe(401);
  });

  it('does so although policy is away: the tokens are dead at once, and any replica has policy void the rest', async () => {
    for (const [, status, evict] of WAYS) {
      people += 1;
      fake = new FakeOwners(world);
      fake.isAway = true;
      const agent = await world.login();
      const answer = await evict(agent);
      if (status === 401) expect(answer.status).toBe(401);
      else expectFailure(answer, 503, 'SERVICE_UNAVAILABLE');
      expect(await Promise.all([agent.client, agent.client.at(replica)].map(statusAt))).toEqual([401, 401]);
      const [first] = voided();
      fake.isAway = false;
      world.clock.aheadMs += 31 * SECOND_MS;
      await eventually(() => isReported(agent));
      // Later, and still about what was asked for before the sessions ended.
      expect(voided().at(-1)).toEqual(first);
    }
  });

  it('is noted in one step with it: no crash in between can lose it', async () => {
    const agent = await world.login();
    await world.database.pool.query(`alter table evictions add constraint broken check (due_at < 'epoch')`);
    try {
      expectFailure(await evictByMail(agent), 500, 'INTERNAL_ERROR');
      expect(await statusAt(agent.client)).toBe(200);
    } finally {
      await world.database.pool.query('alter table evictions drop constraint broken');
    }
    expect(voided()).toEqual([]);
  });

  it('of one session voids nothing: the agent’s other sessions may have asked for it', async () => {
    const agent = await world.login();
    const [{ id }] = (await agent.client.get('/connect/sessions')).body.data.sessions as [{ id: string }];
    expect((await agent.client.delete(`/connect/sessions/${id}`)).status).toBe(200);
    expect((await (await world.login()).client.post('/connect/logout')).status).toBe(200);
    expect(voided()).toEqual([]);
    expect(await isReported(agent)).toBe(true);
  });
});

it('an operator sees how many mails and evictions wait, and since when', async () => {
  const settings = { sampler: 'always_off', samplerRatio: 0, spanDelayMs: 1_000, metricIntervalMs: 60_000 } as const;
  const telemetry = await startTelemetry({
    service: 'gateway',
    settings: { ...settings, metricsAddress: '127.0.0.1:0' },
  });
  const watching = watchOwners(world.database);
  try {
    const agent = await world.login();
    fake.isAway = true;
    expect((await evictByMail(agent)).status).toBe(503);
    world.inbox.deferring = true;
    expect((await world.client.post('/connect/start', { email: agent.email })).status).toBe(200);
    await world.database.pool.query("update otps set created_at = created_at - interval '4 minutes'");
    await world.database.pool.query("update evictions set noted_at = noted_at - interval '3 minutes'");
    const text = await (await fetch(`http://${telemetry.metricsAddress}/metrics`)).text();
    const read = [...text.matchAll(/^agentwallet_((?:mails|evictions)_\w+)\{.*\} (\S+)$/gm)];
    const gauges = Object.fromEntries(
      read.map(([, name, value]) => [name!, Math.floor(Number(value) / 60) || Number(value)]),
    );
    expect(gauges).toEqual({
      ...{ mails_queued: 1, mails_queued_oldest_age: 4 },
      ...{ evictions_unreported: 1, evictions_unreported_oldest_age: 3 },
    });
  } finally {
    watching.stop();
    await telemetry.stop();
  }
});
