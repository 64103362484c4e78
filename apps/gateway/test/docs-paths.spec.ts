import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { request } from 'node:http';
import { GENEROUS } from './wallet-script.js';
import { World } from './world.js';

let world: World;
beforeAll(async () => {
  world = await World.open({ rateLimits: GENEROUS });
});
afterAll(() => world.close());

/** Requests a path as it is, past every client that would tidy it up. */
const fetchRaw = (path: string, headers: Record<string, string> = {}) =>
  new Promise<{ status: number; text: string }>((resolve, reject) => {
    const { hostname, port } = new URL(world.client.url);
    const outgoing = request({ hostname, port, path, headers, agent: false }, (incoming) => {
      let text = '';
      incoming.on('data', (chunk: Buffer) => (text += chunk.toString())).on('error', reject);
      incoming.on('end', () => resolve({ status: incoming.statusCode!, text }));
    });
    outgoing.on('error', reject).end();
  });

describe('a name below /docs with odd characters', () => {
  it.each([
    '/docs/%00',
    '/docs/%ff',
    '/docs/%E0%A4%A',
    '/docs/%',
    '/docs/..%2f..%2fetc%2fpasswd',
    '/docs/%2e%2e',
    '/docs/../docs/x',
    '/docs/__proto__',
    '/docs/constructor',
    '/docs/',
    '/docs//',
    '/docs/a/b',
    '/docs/*',
    '/docs/{script}',
    '/docs/:script',
    `/docs/${'a'.repeat(200)}`,
    `/docs/${'%F0%9F%98%80'.repeat(20)}`,
    '/docs/%0d%0aset-cookie:%20a=b',
    '/docs/<script>alert(1)</script>',
    '/docs/x?script=y',
    '/docs/x;y',
  ])('%s is not found, or not a path', async (path) => {
    const { status, text } = await fetchRaw(path);
    expect([400, 404, 414, 308, 301]).toContain(status);
    expect(text).not.toContain('<script>');
  });

  it('so is one of 8,000 characters', async () => {
    expect((await fetchRaw(`/docs/${'a'.repeat(8_000)}`)).status).toBe(404);
  });

  it.each(['*', '"', `"${'a'.repeat(4_000)}"`, 'W/', ','.repeat(4_000)])(
    'nor does If-None-Match break it',
    async (value) => {
      expect([200, 304]).toContain((await fetchRaw('/docs', { 'if-none-match': value })).status);
      expect((await fetchRaw('/docs/x', { 'if-none-match': value })).status).toBe(404);
    },
  );

  it.each(['br;q=0', 'identity;q=0', '*;q=0', 'gzip;q=x', ','.repeat(4_000), 'br;'.repeat(1_000)])(
    'nor does Accept-Encoding',
    async (value) => {
      expect((await fetchRaw('/docs', { 'accept-encoding': value })).status).toBeLessThan(500);
    },
  );
});
