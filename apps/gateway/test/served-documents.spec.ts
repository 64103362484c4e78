import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { createHash } from 'node:crypto';
import { type IncomingHttpHeaders, request } from 'node:http';
import { brotliDecompressSync, gunzipSync } from 'node:zlib';
import { expectFailure } from './expect-failure.js';
import { GENEROUS } from './wallet-script.js';
import { World } from './world.js';

let world: World;
beforeAll(async () => {
  world = await World.open({ rateLimits: GENEROUS });
});
afterAll(() => world.close());

/** Returns the path of the script that /docs loads. */
async function scriptPath(): Promise<string> {
  const [, path] = / src="([^"]+)"/.exec((await world.client.get('/docs')).text)!;
  return `/${path}`;
}

const FOR_MINUTES = 'public, max-age=300';

/** Documents with the size, compressed, below which each is, and how long it may be kept. */
describe.each([
  ['/skill.md', 11_000, FOR_MINUTES],
  ['/llms.txt', 2_000, FOR_MINUTES],
  ['/openapi.json', 34_000, FOR_MINUTES],
  ['/owner/openapi.json', 23_000, FOR_MINUTES],
  ['/docs', 25_000, FOR_MINUTES],
  ['the script of /docs', 400_000, 'public, max-age=31536000, immutable'],
])('%s', (name, maxBytes, cacheControl) => {
  let path = name;
  beforeAll(async () => {
    if (!name.startsWith('/')) path = await scriptPath();
  });

  /** The bytes as they are sent: the client of the tests reads text. */
  const fetchBytes = (headers: Record<string, string>, method = 'GET') =>
    new Promise<{ status: number; headers: IncomingHttpHeaders; bytes: Buffer }>((resolve, reject) => {
      const outgoing = request(world.client.url + path, { method, headers, agent: false }, (incoming) => {
        const chunks: Buffer[] = [];
        incoming.on('data', (chunk: Buffer) => chunks.push(chunk)).on('error', reject);
        incoming.on('end', () => {
          resolve({ status: incoming.statusCode!, headers: incoming.headers, bytes: Buffer.concat(chunks) });
        });
      });
      outgoing.on('error', reject).end();
    });

  it('is served compressed, with a strong ETag for each encoding', async () => {
    const plain = await fetchBytes({});
    const br = await fetchBytes({ 'accept-encoding': 'gzip, br' });
    const gz = await fetchBytes({ 'accept-encoding': 'gzip' });
    expect([plain, br, gz].map(({ headers }) => headers['content-encoding'])).toEqual([undefined, 'br', 'gzip']);
    expect(brotliDecompressSync(br.bytes)).toEqual(plain.bytes);
    expect(gunzipSync(gz.bytes)).toEqual(plain.bytes);
    const etags = [plain, br, gz].map(({ headers }) => headers.etag);
    expect(new Set(etags).size).toBe(3);
    for (const { headers, bytes } of [plain, br, gz]) {
      expect(headers).toMatchObject({
        etag: expect.stringMatching(/^"[\w-]+"$/),
        'cache-control': cacheControl,
        vary: 'Accept-Encoding',
        'content-length': String(bytes.length),
      });
    }
    expect(br.bytes.length).toBeLessThan(maxBytes);
  });

  it('is not sent again to a reader that has it', async () => {
    const { headers, bytes } = await fetchBytes({ 'accept-encoding': 'br' });
    const known = { 'accept-encoding': 'br', 'if-none-match': `"other", W/${headers.etag}` };
    const again = await fetchBytes(known);
    expect([again.status, again.bytes.length]).toEqual([304, 0]);
    const kept = { etag: headers.etag, 'cache-control': cacheControl, vary: 'Accept-Encoding' };
    expect(again.headers).toMatchObject(kept);
    expect(again.headers['content-encoding']).toBeUndefined();
    expect((await fetchBytes({ ...known, 'accept-encoding': 'gzip' })).status).toBe(200);
    const head = await fetchBytes({ 'accept-encoding': 'br' }, 'HEAD');
    expect([head.status, head.bytes.length]).toEqual([200, 0]);
    expect(head.headers).toMatchObject({ ...kept, 'content-length': String(bytes.length) });
  });
});

describe('the script of /docs', () => {
  it('is a script, named by the hash of its bytes; another name is a 404 that is not kept', async () => {
    const path = await scriptPath();
    const { headers, text } = await world.client.get(path);
    expect(headers['content-type']).toBe('text/javascript; charset=utf-8');
    expect(path).toBe(`/docs/${createHash('sha256').update(text).digest('base64url')}.js`);
    const other = await world.client.get(`/docs/${createHash('sha256').digest('base64url')}.js`);
    expectFailure(other, 404, 'NOT_FOUND');
    expect(other.headers['cache-control']).toBe('no-store');
  });
});
