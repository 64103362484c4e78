import { afterAll, beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import type { Client } from './client.js';
import { expectFailure } from './expect-failure.js';
import { successorOf } from './issued-tokens.js';
import { World } from './world.js';

let world: World;

beforeAll(async () => {
  world = await World.open();
});
beforeEach(() => world.reset());
afterAll(() => world.close());

const statusAt = async (client: Client) => (await client.post('/connect/validate')).status;

async function evictionCode(email: string) {
  const started = await world.client.post('/connect/start', { email, purpose: 'evict' });
  return { email, otpId: started.body.data.otpId as string, otpCode: world.inbox.lastCode(email) };
}

async function raceLogins(): Promise<void> {
  const { email } = await world.login();
  const code = await evictionCode(email);
  const otps = [await world.otp(email, world.client), await world.otp(email, world.client)];
  const logins = otps.map(({ otpId, code: otpCode }) =>
    world.client.post('/connect/complete', { email, otpId, otpCode }),
  );
  const [evicted, ...answers] = await Promise.all([world.client.post('/connect/evict', code), ...logins]);
  // A login that comes after it finds its code used up.
  const late = answers.filter(({ status }) => status === 401);
  const opened = answers.filter(({ status }) => status === 200);
  expect(late.length + opened.length).toBe(2);
  expect(evicted.body.data.ended).toBe(1 + opened.length);
  for (const each of opened) expect(await statusAt(world.client.as(successorOf(each)))).toBe(401);
}

describe('an eviction', () => {
  it('uses up login codes that were mailed before it, those of others not', async () => {
    const [{ email }, other] = [await world.login(), await world.login()];
    const early = await world.otp(email, world.client.from('203.0.113.67'));
    const others = await world.otp(other.email, world.client.from('203.0.113.67'));
    expect((await world.client.post('/connect/evict', await evictionCode(email))).status).toBe(200);
    const complete = (of: string, { otpId, code }: { otpId: string; code: string }) =>
      world.client.post('/connect/complete', { email: of, otpId, otpCode: code });
    expectFailure(await complete(email, early), 401, 'AUTHENTICATION_ERROR');
    expect((await complete(other.email, others)).status).toBe(200);
    expect((await complete(email, await world.otp(email, world.client))).status).toBe(200);
  });

  it('that races logins ends those before it, and leaves the others without a code', async () => {
    for (let round = 0; round < 10; round += 1) await raceLogins();
  });
});
