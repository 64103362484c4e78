import { newId } from '@agent-wallet/kernel';
import { eventually } from '@agent-wallet/testing';
import { afterAll, beforeAll, beforeEach, describe, expect, it, jest } from '@jest/globals';
import { randomBytes } from 'node:crypto';
import { KeyFolder } from '../src/adapters/key-folder.js';
import { BearerTokens } from '../src/http/bearer-token.js';
import type { Client } from './client.js';
import { RATE_LIMITS, World } from './world.js';

// Well-formed tokens with an invalid signature, from one network.

const LIMIT = 20;
const AT_ONCE = 16;
const PATH = '/wallets/me/policy';

let world: World;
/** Every token that is verified has its key looked for. */
const lookedFor = jest.spyOn(KeyFolder.prototype, 'publicKey');
const lookUp = lookedFor.getMockImplementation()!;
const read = jest.spyOn(BearerTokens.prototype, 'read');

beforeAll(async () => {
  world = await World.open({ rateLimits: { ...RATE_LIMITS, clientPerMinute: LIMIT } });
});
beforeEach(async () => {
  await world.reset();
  forgetCalls();
});
afterAll(() => world.close());

function forgetCalls(): void {
  lookedFor.mockClear();
  read.mockClear();
}

const encode = (value: object) => Buffer.from(JSON.stringify(value)).toString('base64url');

function forged(kid: string): string {
  const header = { alg: 'ES256', typ: 'JWT', kid };
  return `${encode(header)}.${encode({ sub: newId(), jti: newId() })}.${randomBytes(64).toString('base64url')}`;
}

/** Sends so many at once, each with another forged token, and counts the responses by status. */
async function flood(client: Client, count: number, kid: string): Promise<Record<number, number>> {
  const sent = Array.from({ length: count }, () => client.as(forged(kid)).get(PATH));
  const counts: Record<number, number> = {};
  for (const { status } of await Promise.all(sent)) counts[status] = (counts[status] ?? 0) + 1;
  return counts;
}

describe('a network over its limit', () => {
  it('has as many more tokens verified as its limit until its window ends, and no more', async () => {
    const client = world.client.from('203.0.113.30');
    expect(await flood(client, LIMIT + 1, '2026-01')).toEqual({ 401: LIMIT, 429: 1 });
    forgetCalls();
    expect(await flood(client, 30, '2026-01')).toEqual({ 429: 30 });
    expect(await flood(client, 30, 'unknown')).toEqual({ 429: 30 });
    expect(lookedFor.mock.calls.length).toBe(LIMIT);
    const refused = await client.as(forged('2026-01')).get(PATH);
    expect(refused.headers).toMatchObject({ 'x-ratelimit-limit': String(LIMIT), 'x-ratelimit-remaining': '0' });
    world.clock.aheadMs = 60_500;
    expect((await client.as(forged('2026-01')).get(PATH)).status).toBe(401);
  });

  it('is refused without a statement, with a token and without', async () => {
    const client = world.client.from('203.0.113.31');
    await flood(client, LIMIT + 1, '2026-01');
    const taken = async () => {
      const { rows } = await world.database.pool.query<{ taken: number }>(
        `select taken from rate_windows where key = 'client:203.0.113.31'`,
      );
      return rows[0]?.taken;
    };
    const before = await taken();
    expect((await client.as(forged('2026-01')).get(PATH)).status).toBe(429);
    expect((await client.get('/skill.md')).status).toBe(429);
    expect((await client.get('/nowhere')).status).toBe(429);
    expect(await taken()).toBe(before);
  });

  it('keeps no other network out', async () => {
    await flood(world.client.from('203.0.113.32'), LIMIT + 1, '2026-01');
    const { client } = await world.login(world.client);
    expect((await client.get(PATH)).status).toBe(200);
  });
});

/** Keeps all that need a key of this name waiting until it is let go. */
function holdKeys(held: string): { readonly waiting: () => number; readonly letGo: () => void } {
  const waiting: Array<() => void> = [];
  lookedFor.mockImplementation(function (this: KeyFolder, kid) {
    if (kid !== held) return lookUp.call(this, kid);
    return new Promise((resolve) => waiting.push(() => resolve(lookUp.call(this, kid))));
  });
  const letGo = () => {
    lookedFor.mockImplementation(lookUp);
    for (const go of waiting) go();
  };
  return { waiting: () => waiting.length, letGo };
}

describe.each(['2026-01', 'unknown'])('200 forged tokens of the key %s at once', (kid) => {
  it('are verified no more often than the limit and the turns of the network allow', async () => {
    const client = world.client.from(kid === 'unknown' ? '203.0.113.33' : '203.0.113.34');
    const keys = holdKeys(kid);
    const responses = flood(client, 200, kid);
    await eventually(() => read.mock.calls.length === 200);
    expect(keys.waiting()).toBe(AT_ONCE);
    keys.letGo();
    expect(await responses).toEqual({ 401: LIMIT, 429: 200 - LIMIT });
    expect(lookedFor.mock.calls.length).toBeGreaterThanOrEqual(LIMIT);
    expect(lookedFor.mock.calls.length).toBeLessThan(2 * LIMIT + AT_ONCE);
  });
});

describe('a token that was verified before', () => {
  it('does not wait while forged ones of its network are being verified', async () => {
    const network = world.client.from('203.0.113.35');
    const own = network.as((await world.login()).token);
    expect((await own.get(PATH)).status).toBe(200);
    const keys = holdKeys('unknown');
    const forgeries = flood(network, 18, 'unknown');
    await eventually(() => keys.waiting() === AT_ONCE);
    expect((await own.get(PATH)).status).toBe(200);
    expect(keys.waiting()).toBe(AT_ONCE);
    keys.letGo();
    expect(await forgeries).toEqual({ 401: 18 });
  });
});
