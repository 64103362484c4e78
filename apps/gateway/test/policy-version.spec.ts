import type { policyV1 } from '@agent-wallet/contracts';
import { AppError } from '@agent-wallet/kernel';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import { walletRecord } from '../src/api/schemas/wallet-records.js';
import type { Client } from './client.js';
import { DEFAULT_POLICY } from './default-script.js';
import { GENEROUS } from './wallet-script.js';
import { World } from './world.js';

let world: World;
let client: Client;
let agentId: string;
let email: string;
beforeAll(async () => {
  world = await World.open({ rateLimits: GENEROUS });
});
beforeEach(async () => {
  await world.reset();
  ({ client, agentId, email } = await world.login());
});
afterAll(() => world.close());

describe('the wallet', () => {
  it('is the agent, its address and whether it has an owner', async () => {
    const answer = await client.get('/wallets/me');
    expect(walletRecord.safeParse(answer.body.data).error).toBeUndefined();
    expect(answer.body.data).toMatchObject({ agentId, email, claimed: false });
    world.script.policy.getPolicy = async () => ({ policy: { ...DEFAULT_POLICY, claimed: true } });
    expect((await client.get('/wallets/me')).body.data.claimed).toBe(true);
  });
});

describe('a version of the policy', () => {
  it('is its ETag, and a condition of a change', async () => {
    const asked: policyV1.UpdatePolicyRequest[] = [];
    world.script.policy.getPolicy = async () => ({ policy: { ...DEFAULT_POLICY, version: 7n } });
    world.script.policy.updatePolicy = async (request) => {
      asked.push(request);
      if (request.expectedVersion === 6n) throw new AppError('VERSION_MISMATCH', { data: { version: 7 } });
      return { policy: { ...DEFAULT_POLICY, version: 8n } };
    };
    expect((await client.get('/wallets/me/policy')).headers['etag']).toBe('"7"');
    const change = (version: string | undefined, body: object = { allowTrading: false }) => {
      const headers: Record<string, string> = version === undefined ? {} : { 'if-match': version };
      return client.call('PATCH', '/wallets/me/policy', { body, headers });
    };
    const changed = await change('"7"');
    expect([changed.status, changed.headers['etag'], changed.body.data.version]).toEqual([200, '"8"', 8]);
    const stale = await change('"6"');
    expect([stale.status, stale.body.data]).toEqual([
      412,
      expect.objectContaining({ code: 'VERSION_MISMATCH', version: 7, retry: 'never' }),
    ]);
    await change(undefined);
    await change('*');
    expect(asked.map(({ expectedVersion }) => expectedVersion)).toEqual([7n, 6n, undefined, undefined]);
    expect((await change('"6"', {})).status).toBe(412);
    expect((await change('"7"', {})).status).toBe(200);
    for (const odd of ['7', 'W/"7"', '"-7"', '"7", "8"', '""', `"${'9'.repeat(30)}"`]) {
      const { status, body } = await change(odd);
      expect([odd, status, body.data.details?.[0]?.field]).toEqual([odd, 400, 'If-Match']);
    }
    expect(asked).toHaveLength(4);
  });
});
