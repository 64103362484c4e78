import { afterAll, beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import { expectFailure } from './expect-failure.js';
import type { Client } from './client.js';
import { World } from './world.js';

let world: World;
let replica: string;
beforeAll(async () => {
  world = await World.open();
  replica = (await world.start()).url;
});
beforeEach(() => world.reset());
afterAll(() => world.close());

interface Mailed {
  readonly email: string;
  readonly otpId: string;
  readonly otpCode: string;
}

const HOUR_MS = 3_600_000;

/** Codes that were mailed to as many people, who asked for them from elsewhere. */
function mailed(count: number, name: string): Promise<Mailed[]> {
  return Promise.all(
    Array.from({ length: count }, async (_, n) => {
      const email = `${name}${n}@example.com`;
      const { otpId, code } = await world.otp(email, world.client.from(`10.8.0.${n}`));
      return { email, otpId, otpCode: code };
    }),
  );
}

const complete = (client: Client, body: Mailed) => client.post('/connect/complete', body);
const wrong = (code: Mailed): Mailed => ({ ...code, otpCode: code.otpCode === '000000' ? '000001' : '000000' });

/** Guesses wrongly five times at each code, all at once and at both gateways; answers the statuses. */
async function guess(client: Client, codes: readonly Mailed[]): Promise<number[]> {
  const guesses = codes.flatMap((code) => Array.from({ length: 5 }, () => wrong(code)));
  const answers = guesses.map((body, n) => complete(n % 2 ? client.at(replica) : client, body));
  return (await Promise.all(answers)).map(({ status }) => status).sort();
}

describe('a client that guesses the codes of many owners', () => {
  it('has thirty wrong tries in an hour, however many codes and gateways there are', async () => {
    const client = world.client.from('203.0.113.1');
    const [mine, ...codes] = (await mailed(8, 'guessed')) as [Mailed, ...Mailed[]];
    expect(await guess(client, codes)).toEqual([...Array(30).fill(401), ...Array(5).fill(429)]);

    const refused = await complete(client, mine);
    expectFailure(refused, 429, 'RATE_LIMIT_EXCEEDED');
    expect(refused.body.data).toMatchObject({ scope: 'client', limit: 30, windowSeconds: 3_600 });
    expect(refused.headers).toMatchObject({ 'x-ratelimit-limit': '30', 'x-ratelimit-remaining': '0' });
    const waitSeconds = Number(refused.headers['retry-after']);
    expect(waitSeconds).toBeGreaterThan(3_500);
    expect(waitSeconds).toBeLessThanOrEqual(3_600);
    for (let n = 0; n < 6; n += 1) expect((await complete(client, mine)).status).toBe(429);

    // That cost the code nothing: its owner, who is elsewhere, logs in.
    expect((await complete(world.client.from('203.0.113.2'), mine)).status).toBe(200);

    world.clock.aheadMs += HOUR_MS + 1_000;
    const [later] = (await mailed(1, 'later')) as [Mailed];
    expect((await complete(client, later)).status).toBe(200);
  });

  it('is one network of IPv6', async () => {
    expect(await guess(world.client.from('2001:db8:1:2::1'), await mailed(6, 'sixth'))).toEqual(Array(30).fill(401));
    const [mine] = (await mailed(1, 'mine')) as [Mailed];
    expect((await complete(world.client.from('2001:db8:1:2:ffff::9'), mine)).status).toBe(429);
    expect((await complete(world.client.from('2001:db8:1:3::1'), mine)).status).toBe(200);
  });
});

describe('a network of many people', () => {
  it('is not held up by right codes, by codes that are used, nor by ids that do not exist', async () => {
    const client = world.client.from('203.0.113.3');
    const codes = await mailed(40, 'colleague');
    const answers = await Promise.all(codes.map((code) => complete(client, code)));
    expect(new Set(answers.map(({ status }) => status))).toEqual(new Set([200]));
    for (const code of codes.slice(0, 32)) expect((await complete(client, code)).status).toBe(401);
    const unknown = { ...codes[0]!, otpId: '01938f6e-5b7a-7cc3-98c4-dc0c0c07398f' };
    expect((await complete(client, unknown)).status).toBe(401);
    const [another] = (await mailed(1, 'another')) as [Mailed];
    expect((await complete(client, another)).status).toBe(200);
  });
});
