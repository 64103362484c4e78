import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { ROUTES } from '../src/api/routes.js';
import type { Client } from './client.js';
import { expectFailure } from './expect-failure.js';
import { GENEROUS } from './wallet-script.js';
import { World } from './world.js';

const ID = '01938f6e-5b7a-7cc3-98c4-dc0c0c07398f';
const HOUR_MS = 3_600_000;
const ROUTES_OF_AGENTS = ROUTES.filter(({ auth }) => auth === 'bearer');

let world: World;
let revoked: Client;
let expired: Client;
beforeAll(async () => {
  world = await World.open({ rateLimits: GENEROUS });
  const { client } = await world.login();
  const open = async () => {
    const body = { name: 'A bot', scopes: ['read', 'transfer', 'trade'], expiresInHours: 1 };
    const { token, sessionToken } = (await client.post('/wallets/me/tokens', body)).body.data as {
      token: { id: string };
      sessionToken: string;
    };
    return { tokenId: token.id, client: client.as(sessionToken) };
  };
  ({ client: expired } = await open());
  const ended = await open();
  ({ client: revoked } = ended);
  for (const each of [expired, revoked]) expect((await each.post('/connect/validate')).status).toBe(200);
  expect((await client.delete(`/wallets/me/tokens/${ended.tokenId}`)).status).toBe(200);
});
afterAll(() => world.close());

describe.each(ROUTES_OF_AGENTS.map((route) => [`${route.method} ${route.path}`, route] as const))('%s', (_, route) => {
  const call = (client: Client) =>
    client.call(route.method, route.path.replace(/\{\w+\}/g, ID), route.body ? { body: {} } : {});

  it('returns 401 for a revoked scoped token', async () => {
    const reply = await call(revoked);
    expectFailure(reply, 401, 'AUTHENTICATION_ERROR');
    expect(reply.body.data.reason).toBe('revoked');
  });

  it('returns 401 for an expired scoped token', async () => {
    world.clock.aheadMs += 2 * HOUR_MS;
    const reply = await call(expired).finally(() => world.clock.reset());
    expectFailure(reply, 401, 'AUTHENTICATION_ERROR');
    expect(reply.body.data.reason).toBe('expired');
  });
});
