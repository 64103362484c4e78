import { eventually } from '@agent-wallet/testing';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import { ADDRESS } from './default-script.js';
import { World } from './world.js';

let world: World;
beforeAll(async () => {
  world = await World.open();
});
beforeEach(() => world.reset());
afterAll(() => world.close());

describe('sessions', () => {
  it('are validated', async () => {
    const { client, email } = await world.login();
    const answer = await client.post('/connect/validate');
    expect(answer.body).toEqual({
      status: true,
      statusCode: 200,
      message: expect.any(String),
      data: {
        ...{ valid: true, email, chainAddress: ADDRESS, solanaAddress: ADDRESS, expiresAt: expect.any(String) },
        grant: null,
      },
    });
    expect((await client.post('/connect/validate', {})).status).toBe(200);
    expect((await client.post('/connect/validate', { x: 1 })).status).toBe(400);
  });

  it('are exchanged; two refreshes at once get the same successor, and the old one is dead', async () => {
    const { client, email } = await world.login();
    const answers = await Promise.all([client.post('/connect/refresh'), client.post('/connect/refresh')]);
    expect(answers.map(({ status }) => status).sort()).toEqual([200, 200]);
    const { data } = answers[0].body;
    expect(data).toEqual({
      sessionToken: expect.any(String),
      expiresAt: expect.any(String),
      email,
      chainAddress: ADDRESS,
      solanaAddress: ADDRESS,
    });
    expect((await client.post('/connect/validate')).status).toBe(401);
    expect((await client.as(data.sessionToken).post('/connect/validate')).status).toBe(200);
  });

  it('take the validity that the policy has at that time', async () => {
    const { client } = await world.login();
    const { policy } = (await world.script.policy.getPolicy({ agentId: '' })) as never as { policy: object };
    world.script.policy.getPolicy = async () => ({ policy: { ...policy, sessionExpirationHours: 2 } as never });
    const { data } = (await client.post('/connect/refresh')).body;
    const hours = (Date.parse(data.expiresAt) - world.clock.nowMs()) / 3_600_000;
    expect(Math.round(hours * 10) / 10).toBe(2);
  });

  it('end with a logout, at every replica at once', async () => {
    const { client } = await world.login();
    const other = client.at((await world.start()).url);
    expect((await other.post('/connect/validate')).status).toBe(200);
    const answer = await client.post('/connect/logout');
    expect([answer.status, answer.body.data]).toEqual([200, { revoked: true }]);
    expect((await other.post('/connect/validate')).status).toBe(401);
    expect((await client.post('/connect/logout')).status).toBe(401);
  });

  it('end by themselves', async () => {
    const { client } = await world.login();
    world.clock.aheadMs = 168 * 3_600_000 + 1_000;
    expect((await client.get('/wallets/me/balances')).status).toBe(401);
  });

  it('leave their start and end in the audit stream', async () => {
    const { client } = await world.login();
    await client.post('/connect/logout');
    const count = async () => {
      const { rows } = await world.database.pool.query('select count(*)::int as n from outbox');
      return rows[0].n as number;
    };
    await eventually(async () => (await count()) === 0);
  });
});
