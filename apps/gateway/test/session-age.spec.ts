import { afterAll, beforeAll, beforeEach, expect, it } from '@jest/globals';
import type { Client } from './client.js';
import { GENEROUS } from './wallet-script.js';
import { World } from './world.js';

const SECOND_MS = 1_000;
const HOUR_MS = 3_600_000;
const MAX_AGE_HOURS = 200;

let world: World;
beforeAll(async () => {
  world = await World.open({ rateLimits: GENEROUS, sessionMaxAgeMs: MAX_AGE_HOURS * HOUR_MS });
});
beforeEach(() => world.reset());
afterAll(() => world.close());

/** The policy's session length from now on. */
async function allowHours(sessionExpirationHours: number): Promise<void> {
  const { policy } = (await world.script.policy.getPolicy({ agentId: '' })) as never as { policy: object };
  const changed = { policy: { ...policy, sessionExpirationHours } };
  world.script.policy.getPolicy = async () => changed as never;
  world.script.policy.createPolicy = async () => changed as never;
}

async function refreshed(client: Client): Promise<{ client: Client; hoursLeft: number; endsAtMs: number }> {
  const answer = await client.post('/connect/refresh');
  expect(answer.status).toBe(200);
  const endsAtMs = Date.parse(answer.body.data.expiresAt as string);
  const hoursLeft = (endsAtMs - world.clock.nowMs()) / HOUR_MS;
  return { client: client.as(answer.body.data.sessionToken as string), hoursLeft, endsAtMs };
}

const statusOf = async (client: Client) => (await client.post('/connect/validate')).status;

it('refreshes extend a session up to the age of its last code, and not by a longer policy', async () => {
  const { client } = await world.login();
  world.clock.aheadMs += 100 * HOUR_MS;
  await allowHours(8_760);
  const first = await refreshed(client);
  expect(Math.round(first.hoursLeft)).toBe(MAX_AGE_HOURS - 100);
  world.clock.aheadMs += 50 * HOUR_MS;
  const second = await refreshed(first.client);
  expect(second.endsAtMs).toBe(first.endsAtMs);
  world.clock.stopAt(second.endsAtMs - SECOND_MS);
  expect(await statusOf(second.client)).toBe(200);
  world.clock.stopAt(second.endsAtMs);
  expect(await statusOf(second.client)).toBe(401);
  expect((await second.client.post('/connect/refresh')).status).toBe(401);
});

it('a login lasts as long as the policy says, and its refreshes cut nothing off', async () => {
  await allowHours(1_000);
  const { client } = await world.login();
  const { hoursLeft } = await refreshed(client);
  expect(Math.round(hoursLeft)).toBe(1_000);
  world.clock.aheadMs += 500 * HOUR_MS;
  expect(await statusOf(client)).toBe(401);
});
