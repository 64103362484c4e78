import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import type { Client } from './client.js';
import { ORIGIN } from './owner-console.js';
import { GENEROUS } from './wallet-script.js';
import { World } from './world.js';

const PAGE = 'https://app.example.com';
const BALANCES = '/wallets/me/balances';
const TRANSFER = '/wallets/me/actions/transfer';

let world: World;
let client: Client;
beforeAll(async () => {
  world = await World.open({ rateLimits: GENEROUS, apiOrigins: [PAGE], ownerOrigin: ORIGIN });
  ({ client } = await world.login());
});
afterAll(() => world.close());

const preflight = (path: string, origin: string) =>
  client.call('OPTIONS', path, { headers: { origin, 'access-control-request-method': 'POST' } });
const reading = (path: string, origin: string) => client.get(path, { headers: { origin } });

describe('a page of API_ORIGINS', () => {
  it('gets its preflight answered, without credentials', async () => {
    const { status, headers } = await preflight(TRANSFER, PAGE);
    expect([status, headers['access-control-allow-origin'], headers.vary]).toEqual([204, PAGE, 'Origin']);
    expect(headers['access-control-allow-methods']).toBe('POST');
    expect(headers['access-control-allow-headers']).toMatch(/authorization, content-type, idempotency-key/);
    expect(headers).not.toHaveProperty('access-control-allow-credentials');
  });

  it('reads responses and failures, and their headers', async () => {
    for (const answer of [
      await reading(BALANCES, PAGE),
      await world.client.get(BALANCES, { headers: { origin: PAGE } }),
    ]) {
      expect(answer.headers).toMatchObject({ 'access-control-allow-origin': PAGE, vary: 'Origin' });
      expect(answer.headers['access-control-expose-headers']).toContain('X-Request-Id');
      expect(answer.headers).not.toHaveProperty('access-control-allow-credentials');
    }
  });

  it('shares a document with a cache only by origin and encoding', async () => {
    expect((await reading('/skill.md', PAGE)).headers.vary).toBe('Accept-Encoding, Origin');
    expect((await client.get('/skill.md')).headers.vary).toBe('Accept-Encoding, Origin');
  });

  it.each(['/owner/me', '/owner/agents', '/mcp', '/nowhere'])('is not let into %s', async (path) => {
    const asked = await preflight(path, PAGE);
    expect(asked.status).toBeGreaterThanOrEqual(400);
    for (const { headers } of [asked, await reading(path, PAGE)]) {
      expect(headers).not.toHaveProperty('access-control-allow-origin');
    }
  });
});

describe('any other page', () => {
  it.each([
    ['not listed', 'https://other.example.com'],
    ['without an origin of its own', 'null'],
    ['whose host ends alike', 'https://evil-app.example.com'],
    ['whose host begins alike', 'https://app.example.com.evil.example'],
    ['of another scheme', 'http://app.example.com'],
    ['of another port', 'https://app.example.com:8443'],
    ['in another case', 'https://APP.example.com'],
    ['that is the console', ORIGIN],
  ])('%s is refused', async (_, origin) => {
    const asked = await preflight(TRANSFER, origin);
    expect(asked.status).toBe(405);
    for (const { headers } of [asked, await reading(BALANCES, origin)]) {
      expect(headers).not.toHaveProperty('access-control-allow-origin');
      expect(headers.vary).toBe('Origin');
    }
  });
});
