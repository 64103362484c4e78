import type { ServerResponse } from 'node:http';
import { inspect } from 'node:util';
import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { Secret } from '@agent-wallet/kernel';
import { openPriceReader, type PriceReader } from './price-reader.js';
import { openPriceApi, type PriceApiOptions } from './price-source.js';
import { FakeClock } from './testing/fake-clock.js';
import { type PriceServer, startPriceServer } from './testing/price-server.js';

const entry = (usdPrice = '1.5') =>
  `{"usdPrice":${usdPrice},"decimals":6,"blockId":77,"priceChange24h":null,"liquidity":1e9,"createdAt":"2024-06-05T08:55:25.527Z"}`;
const entries = (mints: readonly string[], usdPrice?: string) =>
  `{${mints.map((mint) => `"${mint}":${entry(usdPrice)}`).join()}}`;
const openReader = (options: PriceApiOptions) =>
  openPriceReader({ source: openPriceApi({ clock, ...options }), clock });
const mintsNamed = (count: number) => Array.from({ length: count }, (_, i) => `mint${i}`);

let clock: FakeClock;
let server: PriceServer;
let reader: PriceReader;
let answer: (mints: string[], response: ServerResponse) => void;

beforeEach(async () => {
  clock = new FakeClock();
  answer = (mints, response) => response.end(entries(mints));
  server = await startPriceServer((mints, response) => answer(mints, response));
  reader = openReader({ baseUrl: server.url, timeoutMs: 2_000 });
});
afterEach(() => server.close());

describe('reading prices', () => {
  it('gives every digit of a price, its decimals, its block and when it was asked for', async () => {
    answer = (mints, response) => response.end(entries(mints, '0.00000123456789012345678901'));
    const prices = await reader.prices(['bonk']);
    expect(prices.get('bonk')).toEqual({
      price: { digits: 123456789012345678901n, scale: 26 },
      decimals: 6,
      liquidityUsd: 1_000_000_000n,
      blockId: 77,
      readAtMs: clock.nowMs(),
    });
  });

  it.each([
    ['-50', { digits: 2_000_000n, scale: 6 }],
    ['-99.9', { digits: 1_000_000_000n, scale: 6 }],
    ['-1e1', { digits: 1_111_112n, scale: 6 }],
    ['-100', { digits: 100_000_000_000_000n, scale: 6 }],
    ['0', undefined],
    ['12.5', undefined],
    ['null', undefined],
    ['"-50"', undefined],
  ])('with a change of %s percent gives what it fell from', async (change, fallenFrom) => {
    answer = (mints, response) =>
      response.end(entries(mints, '1').replace('"priceChange24h":null', `"priceChange24h":${change}`));
    expect((await reader.prices(['bonk'])).get('bonk')?.fallenFrom).toEqual(fallenFrom);
  });

  it('asks once for what many ask for at once, and for each mint once', async () => {
    await Promise.all([reader.prices(['a', 'b']), reader.prices(['b', 'c', 'c']), reader.prices(['a'])]);
    expect(server.calls).toEqual([['a', 'b', 'c']]);
  });

  it.each([
    [50, [50]],
    [51, [50, 1]],
  ])('asks for %i mints in calls of %j', async (count, sizes) => {
    const prices = await reader.prices(mintsNamed(count));
    expect(prices.size).toBe(count);
    expect(server.calls.map(({ length }) => length)).toEqual(sizes);
  });

  it('asks nothing for no mints', async () => {
    await expect(reader.prices([])).resolves.toEqual(new Map());
    expect(server.calls).toEqual([]);
  });

  it('keeps a reading for five seconds and no longer, and only what was asked for', async () => {
    await reader.prices(['a']);
    clock.pass(5_000);
    await reader.prices(['a', 'b']);
    clock.pass(1);
    await reader.prices(['a', 'b']);
    expect(server.calls).toEqual([['a'], ['b'], ['a']]);
  });

  it('keeps a reading for thirty seconds where it is only shown', async () => {
    await reader.prices(['a']);
    clock.pass(30_000);
    await reader.prices(['a'], { isShown: true });
    expect(server.calls).toHaveLength(1);
    clock.pass(1);
    await reader.prices(['a'], { isShown: true });
    expect(server.calls).toHaveLength(2);
  });

  it('shares no reading for show with what decides, while it is under way', async () => {
    await Promise.all([reader.prices(['a'], { isShown: true }), reader.prices(['a'])]);
    expect(server.calls).toEqual([['a'], ['a']]);
    await reader.prices(['a']);
    expect(server.calls).toHaveLength(2);
  });

  it('keeps for as long that there is no price', async () => {
    answer = (_, response) => response.end('{}');
    await expect(reader.prices(['a'])).resolves.toEqual(new Map());
    await reader.prices(['a']);
    expect(server.calls).toHaveLength(1);
  });

  it('asks again for a reading that must be newer than the kept one', async () => {
    const readAfterMs = clock.nowMs();
    await reader.prices(['a'], { readAfterMs: readAfterMs - 1 });
    clock.pass(1);
    const [reading] = (await reader.prices(['a'], { readAfterMs })).values();
    expect(reading?.readAtMs).toBe(readAfterMs + 1);
    expect(server.calls).toHaveLength(2);
  });

  it('sends the key when there is one, and prints it nowhere', async () => {
    await reader.prices(['a']);
    expect(server.lastKey()).toBeUndefined();
    answer = (_, response) => response.writeHead(401).end();
    const keyed = openReader({ baseUrl: `${server.url}/`, apiKey: new Secret('secret key') });
    const error: unknown = await keyed.prices(['a']).catch((thrown: unknown) => thrown);
    expect(server.lastKey()).toBe('secret key');
    expect(inspect([error, keyed], { depth: 20 })).not.toMatch(/secret key/);
  });
});

describe('a price that is none', () => {
  it.each([
    ['zero', entry('0')],
    ['zero of many digits', entry('0.000')],
    ['negative', entry('-1')],
    ['not a number', entry('"NaN"')],
    ['a text', entry('"1.5"')],
    ['null', entry('null')],
    ['infinite in a double', entry('1e400')],
    ['above 1e12', entry('1000000000000.01')],
    ['below 1e-18', entry('9.99e-19')],
    ['without decimals', '{"usdPrice":1,"blockId":77}'],
    ['with broken decimals', '{"usdPrice":1,"decimals":1.5,"blockId":77}'],
    ['with decimals beyond a byte', '{"usdPrice":1,"decimals":256,"blockId":77}'],
    ['missing', '{"decimals":6,"blockId":77}'],
    ['no entry', 'null'],
    ['a list', '[1]'],
  ])('is absent when it is %s, and the others are there', async (_, broken) => {
    answer = (__, response) => response.end(`{"broken":${broken},"good":${entry()}}`);
    const prices = await reader.prices(['broken', 'good', 'never heard of', '__proto__', 'toString']);
    expect([...prices.keys()]).toEqual(['good']);
  });

  it.each([
    ['1e12', '1000000000000'],
    ['1e-18', '1e-18'],
    ['written with an exponent', '6.41E+1'],
  ])('is not one at %s', async (_, text) => {
    answer = (mints, response) => response.end(entries(mints, text));
    expect((await reader.prices(['a'])).size).toBe(1);
  });

  it.each(['null', '-1', '1.5', '"77"', '1e30', '{}'])('has no block when that is %s', async (blockId) => {
    answer = (_, response) => response.end(`{"a":{"usdPrice":1,"decimals":6,"blockId":${blockId}}}`);
    expect((await reader.prices(['a'])).get('a')?.blockId).toBeNull();
  });
});

describe('a price API that fails', () => {
  it.each<[string, (response: ServerResponse) => void]>([
    ['an error', (response) => response.writeHead(500).end('{}')],
    ['no JSON', (response) => response.end('<html>')],
    ['a list', (response) => response.end('[]')],
    ['the same mint twice', (response) => response.end(`{"a":${entry('1')},"a":${entry('2')}}`)],
    ['a redirect', (response) => response.writeHead(302, { location: '/price/v3?ids=a' }).end()],
    ['too much', (response) => response.end(`{"a":"${'x'.repeat(1024 * 1024)}"}`)],
    ['a closed connection', (response) => response.socket?.destroy()],
  ])('with %s is an upstream error, and is asked again', async (_, broken) => {
    answer = (__, response) => broken(response);
    await expect(reader.prices(['a'])).rejects.toMatchObject({ code: 'UPSTREAM_ERROR' });
    answer = (mints, response) => response.end(entries(mints));
    await expect(reader.prices(['a'])).resolves.toHaveProperty('size', 1);
  });

  it('by saying nothing is an upstream timeout', async () => {
    answer = () => undefined;
    const hasty = openReader({ baseUrl: server.url, timeoutMs: 100 });
    await expect(hasty.prices(['a'])).rejects.toMatchObject({ code: 'UPSTREAM_TIMEOUT' });
  });

  it('fails those of the failed call only', async () => {
    answer = (mints, response) => (mints.length === 50 ? response.writeHead(500).end() : response.end(entries(mints)));
    await expect(reader.prices(mintsNamed(51))).rejects.toMatchObject({ code: 'UPSTREAM_ERROR' });
    await expect(reader.prices(['mint50'])).resolves.toHaveProperty('size', 1);
    expect(server.calls).toHaveLength(2);
  });

  it.each<[string, Record<string, string>, number]>([
    ['without a time', {}, 1_000],
    ['with a time', { 'x-ratelimit-reset': String(1_700_000_000 + 5) }, 5_000],
    ['with a time long ago', { 'x-ratelimit-reset': '1' }, 1_000],
    ['with a time far away', { 'x-ratelimit-reset': '9999999999' }, 10_000],
    ['with nonsense', { 'x-ratelimit-reset': 'soon' }, 1_000],
  ])('by a 429 %s is left alone for as long as it asks, but for ten seconds at most', async (_, headers, pauseMs) => {
    answer = (__, response) => response.writeHead(429, headers).end();
    await expect(reader.prices(['a'])).rejects.toMatchObject({ code: 'UPSTREAM_ERROR' });
    answer = (mints, response) => response.end(entries(mints));
    clock.pass(pauseMs - 1);
    await expect(reader.prices(['a'])).rejects.toMatchObject({ code: 'UPSTREAM_ERROR' });
    expect(server.calls).toHaveLength(1);
    clock.pass(1);
    await expect(reader.prices(['a'])).resolves.toHaveProperty('size', 1);
  });

  it('by its address is rejected at once', () => {
    expect(() => openReader({ baseUrl: 'nonsense' })).toThrow('the address of the aggregator is not a URL');
  });
});
