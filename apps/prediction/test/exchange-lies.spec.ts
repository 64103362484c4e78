import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { newId } from '@agent-wallet/kernel';
import type { NewOrder } from '../src/ports/exchange.js';
import { type AdapterUnderTest, codeOf, openAdapter } from './exchange-adapter.js';
import { json, type KalshiServer, marketJson, startKalshiServer } from './kalshi-server.js';

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
  ...{ ticker: 'KXA-1', exchangeIndex: 0, side: 'bid', count: 1_000n, priceUsdMicros: 560_000n },
  clientOrderId: newId(),
};

describe('an order whose answer', () => {
  const place = (answer: object) => {
    server.script = (_, r) => json(r, { order_id: 'o-1', fill_count: '10.00', ...answer }, 201);
    const turn = { agentId: newId(), operationId: newId(), signal: new AbortController().signal };
    return test.exchange.placeOrder(ORDER, turn);
  };

  it('names it is accepted', async () => {
    expect(await place({ client_order_id: ORDER.clientOrderId })).toMatchObject({ kind: 'accepted', filled: 1_000n });
  });

  it.each<[string, object]>([
    ['is about another order', { client_order_id: newId() }],
    ['tells of more than was ordered', { fill_count: '10.01' }],
    ['has a name that cannot be kept', { order_id: 'o\u0000' }],
  ])('%s is unknown', async (_, answer) => {
    expect(await place(answer)).toMatchObject({ kind: 'unknown' });
  });
});

describe('a market', () => {
  it('other than the requested one is an upstream error; upper and lower case do not matter', async () => {
    server.script = (_, r) => json(r, { market: marketJson('KXA-1') });
    expect(await test.exchange.market('kxa-1')).toMatchObject({ ticker: 'KXA-1' });
    expect(await codeOf(test.exchange.market('KXA-2'))).toBe('UPSTREAM_ERROR');
  });
});

describe('pages', () => {
  const position = { ticker: 'KXA-1', position_fp: '1.00' };

  it.each<[string, (asked: string | undefined) => string]>([
    ['in a circle', (asked) => (asked === 'a' ? 'b' : 'a')],
    ['that repeat themselves', () => 'a'],
  ])('%s are no answer: what is missing is not nothing', async (_, next) => {
    server.script = ({ query }, r) => json(r, { market_positions: [position], cursor: next(query['cursor']) });
    expect(await codeOf(test.exchange.positions())).toBe('UPSTREAM_ERROR');
    expect(server.asked.length).toBeLessThan(5);
  });

  it('with a cursor that the exchange rejects are an upstream error, not the caller’s', async () => {
    server.script = ({ query }, r) =>
      query['cursor'] ? json(r, { error: { code: 'invalid' } }, 400) : json(r, { market_positions: [], cursor: 'a' });
    expect(await codeOf(test.exchange.positions())).toBe('UPSTREAM_ERROR');
  });

  it('that never end are abandoned before they fill the memory', async () => {
    const many = Array.from({ length: 50_000 }, () => position);
    server.script = (_, r) => json(r, { market_positions: many, cursor: String(server.asked.length) });
    expect(await codeOf(test.exchange.positions())).toBe('UPSTREAM_ERROR');
    expect(server.asked).toHaveLength(4);
  });
});

describe('what a call costs', () => {
  it('is never more than can be paid', () => {
    test.costs.replace(1e9, [{ method: 'GET', path: '/account/limits', cost: 1e12 }]);
    expect([test.costs.of('GET', '/account/limits'), test.costs.of('POST', '/x')]).toEqual([20, 20]);
  });
});
