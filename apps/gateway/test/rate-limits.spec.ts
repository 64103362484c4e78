import { afterAll, beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import type { Client } from './client.js';
import { expectFailure } from './expect-failure.js';
import { exchange, parted } from './raw-connection.js';
import { RATE_LIMITS, World } from './world.js';

const LIMITS = { ...RATE_LIMITS, clientPerMinute: 20, agentPerMinute: 10 };

let world: World;
let replica: string;
beforeAll(async () => {
  world = await World.open({
    trustedProxies: ['127.0.0.1'],
    rateLimits: LIMITS,
  });
  replica = (await world.start()).url;
});
beforeEach(() => world.reset());
afterAll(() => world.close());

/** Sends so many requests at once, every second one to the other replica, and counts the answers by status. */
async function flood(client: Client, count: number, path: string): Promise<Record<number, number>> {
  const answers = await Promise.all(
    Array.from({ length: count }, (_, n) => (n % 2 ? client.at(replica) : client).get(path)),
  );
  const counts: Record<number, number> = {};
  for (const { status } of answers) counts[status] = (counts[status] ?? 0) + 1;
  return counts;
}

describe('the limit per client address', () => {
  it('lets exactly so many through, over all replicas, and says when to come again', async () => {
    const client = world.client.from('203.0.113.7');
    expect(await flood(client, 25, '/skill.md')).toEqual({ 200: 20, 429: 5 });
    const refused = await client.get('/skill.md');
    expect([refused.status, refused.body.data]).toEqual([
      429,
      {
        code: 'RATE_LIMIT_EXCEEDED',
        requestId: expect.any(String),
        retryable: true,
        retry: 'same_key',
        retryAt: expect.any(String),
        suggestion: expect.stringMatching(/^Wait \d+ s\.$/),
        scope: 'client',
        limit: 20,
        windowSeconds: 60,
      },
    ]);
    expectFailure(refused, 429, 'RATE_LIMIT_EXCEEDED');
    expect(refused.body.message).toMatch(/^More than 20 requests per minute from this network\. Wait \d+ s\.$/);
    expect(refused.headers).toMatchObject({ 'x-ratelimit-limit': '20', 'x-ratelimit-remaining': '0' });
    const waitSeconds = Number(refused.headers['retry-after']);
    expect(waitSeconds).toBeGreaterThan(50);
    expect(waitSeconds).toBeLessThanOrEqual(60);
    const resetsInMs = Number(refused.headers['x-ratelimit-reset']) * 1000 - world.clock.nowMs();
    expect(Math.abs(resetsInMs - waitSeconds * 1000)).toBeLessThan(1_500);
    world.clock.aheadMs = waitSeconds * 1000;
    const again = await client.get('/skill.md');
    expect([again.status, again.headers['x-ratelimit-remaining']]).toEqual([200, '19']);
  });

  it('counts what is refused, too: unknown routes, bad tokens, wrong methods', async () => {
    const client = world.client.from('203.0.113.8');
    const counts = await flood(client, 12, '/nowhere');
    expect(counts).toEqual({ 404: 12 });
    for (let n = 0; n < 8; n += 1) expect((await client.as('bad').get('/wallets/me/policy')).status).toBe(401);
    expect((await client.call('DELETE', '/wallets/me/policy', {})).status).toBe(429);
    expect((await client.get('/nowhere')).status).toBe(429);
    expect((await client.as('bad').get('/wallets/me/policy')).status).toBe(429);
  });

  it('counts what cannot be routed, and refuses it when the window is full', async () => {
    const client = world.client.from('203.0.113.13');
    for (let n = 0; n < 18; n += 1) await client.get('/skill.md');
    expect((await client.get('/wallets/%zz')).headers['x-ratelimit-remaining']).toBe('1');
    expect((await client.get('*healthz')).headers['x-ratelimit-remaining']).toBe('0');
    expect((await client.get('/wallets/%zz')).status).toBe(429);
    expect((await client.get('*healthz')).status).toBe(429);
    expect((await client.get(`/wallets/me/history/${'x'.repeat(1_000)}`)).status).toBe(429);
    const bytes = 'CONNECT x:1 HTTP/1.1\r\nhost: x\r\nx-forwarded-for: 203.0.113.13\r\n\r\n';
    expect(parted(await exchange(client.url, bytes)).status).toBe(429);
  });

  it('does not count probes', async () => {
    const client = world.client.from('203.0.113.9');
    expect(await flood(client, 30, '/healthz')).toEqual({ 200: 30 });
  });

  it('belongs to one address, or to one network of IPv6', async () => {
    await flood(world.client.from('203.0.113.10'), 21, '/skill.md');
    expect((await world.client.from('203.0.113.11').get('/skill.md')).status).toBe(200);
    await flood(world.client.from('2001:db8:1:2::1'), 21, '/skill.md');
    expect((await world.client.from('2001:db8:1:2:ffff::9').get('/skill.md')).status).toBe(429);
    expect((await world.client.from('2001:db8:1:3::1').get('/skill.md')).status).toBe(200);
  });

  it('is met by 300 requests with forged forwarding headers as by any others, with the limits as they come', async () => {
    const url = (await world.start({ trustedProxies: [], rateLimits: { ...LIMITS, clientPerMinute: 100 } })).url;
    const forged = Array.from({ length: 300 }, (_, n) => {
      const headers: Record<string, string> = [
        { 'x-forwarded-for': `198.51.${n >> 8}.${n & 255}` },
        { 'x-forwarded-for': `2001:db8:${n.toString(16)}::1, 127.0.0.1` },
        { forwarded: `for=203.0.113.${n & 255}`, 'x-real-ip': `203.0.113.${n & 255}` },
      ][n % 3]!;
      return world.client.at(url).get('/skill.md', { headers });
    });
    const statuses = (await Promise.all(forged)).map(({ status }) => status);
    expect(statuses.filter((status) => status === 200)).toHaveLength(100);
    expect(statuses.filter((status) => status === 429)).toHaveLength(200);
  });

  it('cannot be reset by a forged forwarding header', async () => {
    const open = world.client.at((await world.start({ trustedProxies: [] })).url);
    let refused = 0;
    for (let n = 0; n < 25; n += 1) {
      const { status } = await open.from(`198.51.100.${n}`).get('/skill.md');
      refused += status === 429 ? 1 : 0;
    }
    expect(refused).toBe(5);
    await world.reset();
    // Behind the trusted proxy only what the proxy itself appended counts.
    for (let n = 0; n < 20; n += 1) await world.client.from(`198.51.100.${n}, 203.0.113.12`).get('/skill.md');
    expect((await world.client.from('1.2.3.4, 203.0.113.12').get('/skill.md')).status).toBe(429);
  });
});

describe('the limit per agent', () => {
  it('lets exactly that many requests through, from any address and over all replicas', async () => {
    const { client } = await world.login();
    expect(await flood(client, 12, '/wallets/me/policy')).toEqual({ 200: 10, 429: 2 });
    const elsewhere = await client.from('203.0.113.20').get('/wallets/me/policy');
    expect(elsewhere.status).toBe(429);
    expect(elsewhere.headers).toMatchObject({ 'x-ratelimit-limit': '10', 'x-ratelimit-remaining': '0' });
    expect((await (await world.login()).client.get('/wallets/me/policy')).status).toBe(200);
    world.clock.aheadMs = 60_500;
    const later = await client.get('/wallets/me/policy');
    expect([later.status, later.headers['x-ratelimit-remaining']]).toEqual([200, '9']);
  });
});
