import { silent } from '@agent-wallet/platform/testing';
import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { constants, verify } from 'node:crypto';
import { newId } from '@agent-wallet/kernel';
import { refreshQuota } from '../src/adapters/exchange/quota-refresh.js';
import type { NewOrder } from '../src/ports/exchange.js';
import { type AdapterUnderTest, openAdapter } from './exchange-adapter.js';
import { json, type KalshiServer, type Script, startKalshiServer, testKey } from './kalshi-server.js';

let server: KalshiServer;
let test: AdapterUnderTest;

beforeEach(async () => {
  server = await startKalshiServer();
  test = openAdapter(server.baseUrl);
});
afterEach(async () => {
  test.http.close();
  await server.close();
});

const ORDER: NewOrder = {
  ...{ ticker: 'KXA-1', exchangeIndex: 2, side: 'ask', count: 1_050n, priceUsdMicros: 560_000n },
  clientOrderId: newId(),
};
const turn = () => ({ agentId: newId(), operationId: newId(), signal: new AbortController().signal });
const place = () => test.exchange.placeOrder(ORDER, turn());
describe('an order', () => {
  it('is sent whole and signed, and its answer read', async () => {
    server.script = (_, r) => json(r, { order_id: 'o-1', fill_count: '3.50', remaining_count: '0.00' }, 201);
    expect(await place()).toEqual({ kind: 'accepted', orderId: 'o-1', filled: 350n });
    const [asked] = server.asked;
    expect(asked).toMatchObject({ method: 'POST', path: '/portfolio/events/orders' });
    expect(JSON.parse(asked!.body)).toEqual({
      ...{ ticker: 'KXA-1', side: 'ask', count: '10.50', price: '0.5600', time_in_force: 'immediate_or_cancel' },
      ...{ self_trade_prevention_type: 'taker_at_cross', client_order_id: ORDER.clientOrderId, exchange_index: 2 },
    });
    const stamp = asked!.headers['kalshi-access-timestamp'] as string;
    const key = { key: testKey.publicKey, padding: constants.RSA_PKCS1_PSS_PADDING, saltLength: 32 };
    const signature = Buffer.from(asked!.headers['kalshi-access-signature'] as string, 'base64');
    const text = Buffer.from(`${stamp}POST/trade-api/v2/portfolio/events/orders`);
    expect(verify('sha256', text, key, signature)).toBe(true);
    expect(asked!.headers['kalshi-access-key']).toBe(testKey.id);
  });

  it.each<[string, Script, object]>([
    [
      'that is there already exists',
      (_, r) => json(r, { error: { code: 'order_already_exists' } }, 409),
      { kind: 'exists' },
    ],
    [
      'in a closed market is rejected',
      (_, r) => json(r, { error: { code: 'MARKET_INACTIVE', message: 'no' } }, 409),
      { kind: 'rejected', code: 'MARKET_INACTIVE', status: 409 },
    ],
    [
      'that cannot be read is rejected',
      (_, r) => json(r, { code: 'bad_request', message: 'no', details: 'x' }, 400),
      { kind: 'rejected', code: 'bad_request', status: 400 },
    ],
    [
      'refused without words is rejected',
      (_, r) => void r.writeHead(401).end(),
      { kind: 'rejected', code: 'http_401' },
    ],
    ['gone is rejected', (_, r) => json(r, {}, 410), { kind: 'rejected', code: 'http_410' }],
    ['that took too long there is unknown', (_, r) => json(r, {}, 408), { kind: 'unknown' }],
    ['at a broken exchange is unknown', (_, r) => json(r, { error: { code: 'internal' } }, 500), { kind: 'unknown' }],
    ['behind a broken proxy is unknown', (_, r) => void r.writeHead(502).end('<html>'), { kind: 'unknown' }],
    ['whose answer says nothing is unknown', (_, r) => json(r, { order_id: 'o' }, 201), { kind: 'unknown' }],
    [
      'that is sent elsewhere is unknown',
      (_, r) => void r.writeHead(307, { location: '/x' }).end(),
      { kind: 'unknown' },
    ],
    ['whose connection dies is unknown', (_, r) => void r.destroy(), { kind: 'unknown' }],
    [
      'whose answer breaks off is unknown',
      (_, r) => void r.writeHead(201, { 'content-length': '9' }).end('{'),
      { kind: 'unknown' },
    ],
  ])('%s, and is sent once', async (_, script, placement) => {
    server.script = script;
    expect(await place()).toMatchObject(placement);
    expect(server.asked).toHaveLength(1);
  });

  it('that is never answered is unknown', async () => {
    test = openAdapter(server.baseUrl, 500);
    server.script = () => undefined;
    expect(await place()).toMatchObject({ kind: 'unknown', cause: { isTimeout: true } });
    expect(server.asked).toHaveLength(1);
  });

  it('that is rate-limited goes out again, unchanged, in its old queue slot, after all replicas pause', async () => {
    server.script = (_, r) =>
      server.asked.length < 4
        ? json(r, { error: 'too many requests' }, 429)
        : json(r, { order_id: 'o', fill_count: '0' }, 201);
    expect(await place()).toEqual({ kind: 'accepted', orderId: 'o', filled: 0n });
    expect(new Set(server.asked.map(({ body }) => body)).size).toBe(1);
    expect(test.pauses).toEqual(['write', 'write', 'write']);
    expect(test.turns.map(({ tag }) => tag)).toEqual([undefined, '1', '2', '3']);
    expect(new Set(test.turns.map(({ operationId }) => operationId)).size).toBe(1);
  });

  it('whose turn does not come was not sent, whether or not it was turned away before', async () => {
    test.slotsLeft = 0;
    expect(await place()).toEqual({ kind: 'unsent' });
    expect(server.asked).toEqual([]);
    test.slotsLeft = 2;
    server.script = (_, r) => json(r, { error: 'too many requests' }, 429);
    expect(await place()).toEqual({ kind: 'unsent' });
  });

  it('whose operation is in other hands when its turn comes is not sent', async () => {
    const abort = new AbortController();
    test.onSlot = () => abort.abort();
    expect(await test.exchange.placeOrder(ORDER, { ...turn(), signal: abort.signal })).toEqual({ kind: 'unsent' });
    expect([test.turns.length, server.asked.length]).toEqual([1, 0]);
  });

  it('is reported as not sent when the connection was refused', async () => {
    await server.close();
    expect(await place()).toEqual({ kind: 'unsent' });
    test = openAdapter('http://exchange.invalid/trade-api/v2');
    expect(await place()).toEqual({ kind: 'unsent' });
    server = await startKalshiServer();
  });

  it('pays what the exchange says that it costs', async () => {
    server.script = ({ path }, r) => {
      if (path === '/account/limits') {
        const bucket = (rate: number) => ({ refill_rate: rate, bucket_capacity: rate * 2 });
        return json(r, { usage_tier: 'premier', read: bucket(1_000), write: bucket(500), grants: [] });
      }
      if (path === '/account/endpoint_costs') {
        const endpoint_costs = [
          { method: 'DELETE', path: '/portfolio/events/orders', cost: 2 },
          { method: 'POST', path: '/trade-api/v2/portfolio/events/orders', cost: 12 },
          { method: 'GET', path: '/markets/{ticker}/orderbook', cost: 3 },
        ];
        return json(r, { default_cost: 7, endpoint_costs });
      }
      return json(r, { order_id: 'o', fill_count: '0' }, 201);
    };
    const sizes: unknown[] = [];
    const quota = { resize: async (...size: unknown[]) => void sizes.push(size) };
    await refreshQuota({ reader: test.reader, quota, costs: test.costs, logger: silent });
    expect(sizes).toEqual([
      ['read', { tokensPerSecond: 1_000, capacity: 2_000 }],
      ['write', { tokensPerSecond: 500, capacity: 1_000 }],
    ]);
    await place();
    expect(test.turns[0]!.cost).toBe(12);
    expect([test.costs.of('GET', '/markets/KXA/orderbook'), test.costs.of('GET', '/markets/KXA')]).toEqual([3, 7]);
  });
});
