import { currentRequest } from '@agent-wallet/platform';
import { afterAll, beforeAll, expect, it } from '@jest/globals';
import { approval, ORIGIN } from './owner-console.js';
import { World } from './world.js';

let world: World;
beforeAll(async () => {
  world = await World.open({ ownerOrigin: ORIGIN });
});
afterAll(() => world.close());

it('a proposal is asked for with the login that its session goes back to, and the network of the request', async () => {
  const asked: Array<{ loggedInAtMs?: number | undefined; askedFrom?: string | undefined }> = [];
  world.script.owners.requestApproval = async () => {
    asked.push(currentRequest() ?? {});
    return { approval: approval() };
  };
  const email = 'asking@example.com';
  const home = world.client.from('10.5.1.9');
  const beforeMs = Math.floor(world.clock.nowMs() / 1_000) * 1_000;
  const token = await world.tokenFor(email, home);
  const afterMs = world.clock.nowMs();
  const changes = { dailyLimitInUsd: 900 };
  expect((await home.as(token).post('/wallets/me/policy/proposals', { changes })).status).toBe(202);
  world.clock.aheadMs += 60_000;
  const away = world.client.from('10.5.2.9');
  const refreshed = await away.as(token).post('/connect/refresh');
  expect(refreshed.status).toBe(200);
  const next = away.as(refreshed.body.data.sessionToken as string);
  expect((await next.post('/wallets/me/policy/proposals', { changes })).status).toBe(202);
  expect(asked.map(({ askedFrom }) => askedFrom)).toEqual(['10.5.1.0/24', '10.5.2.0/24']);
  for (const { loggedInAtMs } of asked) {
    expect(loggedInAtMs).toBeGreaterThanOrEqual(beforeMs);
    expect(loggedInAtMs).toBeLessThanOrEqual(afterMs);
  }
});
