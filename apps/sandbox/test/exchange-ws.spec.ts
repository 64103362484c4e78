import { eventually } from '@agent-wallet/testing';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import { once } from 'node:events';
import { createServer } from 'node:http';
import { connect } from 'node:net';
import { WebSocket } from 'ws';
import type { Exchange } from '../src/exchange/engine/exchange.js';
import { openExchangeSocket } from '../src/exchange/ws/exchange-socket.js';
import { close, listen } from '../src/http/listen.js';
import { ExchangeClient, type Json } from './exchange-client.js';

const SOCKET_PATH = '/trade-api/ws/v2';

let exchange: ExchangeClient;
let client: Client;

/** A client of the socket that remembers every frame. */
class Client {
  readonly frames: Json[] = [];
  private lastId = 0;

  private constructor(readonly socket: WebSocket) {
    socket.on('message', (data) => this.frames.push(JSON.parse((data as Buffer).toString())));
  }

  static async open(): Promise<Client> {
    const headers = exchange.headers('GET', SOCKET_PATH);
    const client = new Client(new WebSocket(exchange.world.sandbox.exchangeWsUrl, { headers }));
    await once(client.socket, 'open');
    return client;
  }

  /** Sends a command and answers the first frame with its id. */
  async command(cmd: string, params?: object): Promise<Json> {
    const id = (this.lastId += 1);
    this.socket.send(JSON.stringify({ id, cmd, params }));
    return eventually(() => this.frames.find((frame) => frame.id === id));
  }

  async subscribe(channel: string, params: object = {}): Promise<number> {
    const reply = await this.command('subscribe', { channels: [channel], ...params });
    expect(reply).toMatchObject({ type: 'subscribed', msg: { channel } });
    return reply.msg.sid as number;
  }

  /** The frames of a type, once there are so many. */
  async received(type: string, count = 1): Promise<Json[]> {
    return eventually(() => {
      const found = this.frames.filter((frame) => frame.type === type);
      return found.length >= count && found;
    });
  }
}

/** Whether a handshake is let in, and what is answered if not. */
async function handshake(headers: Record<string, string>, url: string): Promise<number> {
  const socket = new WebSocket(url, { headers });
  return new Promise((resolve) => {
    socket.on('open', () => resolve(101));
    socket.on('unexpected-response', (_request, response) => resolve(response.statusCode!));
    socket.on('error', () => undefined);
  }).finally(() => socket.terminate()) as Promise<number>;
}

const book = (ticker: string, yesBids: number[][], noBids: number[][]) =>
  exchange.world.admin('POST', `/markets/${ticker}/book`, { yesBids, noBids });

const buy = (ticker: string, more: object = {}) =>
  exchange.call('POST', '/portfolio/events/orders', {
    ...{ ticker, side: 'bid', count: '2', price: '0.42', client_order_id: crypto.randomUUID() },
    ...{ time_in_force: 'immediate_or_cancel', self_trade_prevention_type: 'taker_at_cross' },
    ...more,
  });

beforeAll(async () => {
  exchange = await ExchangeClient.start();
  await exchange.world.admin('POST', '/prices', { freeze: true });
  await exchange.market('WS-26-A');
  await exchange.market('WS-26-B');
});

afterAll(() => exchange.stop());

beforeEach(async () => {
  client = await Client.open();
});

afterEach(() => client.socket.terminate());

describe('the handshake', () => {
  it('accepts a signed request only, for any later subscription', async () => {
    const url = exchange.world.sandbox.exchangeWsUrl;
    const good = exchange.headers('GET', SOCKET_PATH);
    expect(await handshake(good, url)).toBe(101);
    expect(await handshake({}, url)).toBe(401);
    expect(await handshake(exchange.headers('GET', '/trade-api/v2'), url)).toBe(401);
    expect(await handshake({ ...good, 'KALSHI-ACCESS-KEY': 'another' }, url)).toBe(401);
  });

  it('has one path', async () => {
    const url = exchange.world.sandbox.exchangeWsUrl.replace(SOCKET_PATH, '/trade-api/ws/v1');
    expect(await handshake(exchange.headers('GET', '/trade-api/ws/v1'), url)).toBe(404);
  });
});

it('the server survives clients that hang up during a handshake or send nonsense', async () => {
  const { host, port } = new URL(exchange.url);
  for (const target of ['//', SOCKET_PATH]) {
    const socket = connect({ port: Number(port), host: '127.0.0.1' });
    socket.on('error', () => undefined);
    await once(socket, 'connect');
    const upgrade = `Host: ${host}\r\nConnection: Upgrade\r\nUpgrade: websocket\r\n\r\n`;
    socket.write(`GET ${target} HTTP/1.1\r\n${upgrade}`);
    socket.resetAndDestroy();
  }
  expect((await exchange.get('/exchange/status')).status).toBe(200);
});

it('the server asks whether its clients are there', async () => {
  const server = createServer();
  const silent = { on: () => () => undefined } as unknown as Exchange;
  const door = openExchangeSocket({ server, exchange: silent, admit: () => undefined, pingMs: 10 });
  const socket = new WebSocket(
    `ws://127.0.0.1:${await listen(server, { host: '127.0.0.1', port: 0, variable: 'PORT' })}${SOCKET_PATH}`,
  );
  const [first] = (await once(socket, 'ping')) as [Buffer];
  const [second] = (await once(socket, 'ping')) as [Buffer];
  expect([first.toString(), second.toString()]).toEqual(['heartbeat', 'heartbeat']);
  door.close();
  await once(socket, 'close');
  await close(server);
});

describe('commands', () => {
  it.each([
    ['not JSON', 1],
    ['{"id":1}', 1],
    ['{"id":1,"cmd":"subscribe"}', 2],
    ['{"id":1,"cmd":"subscribe","params":{}}', 3],
    ['{"id":1,"cmd":"unsubscribe","params":{}}', 4],
    ['{"id":1,"cmd":"dance"}', 5],
    ['{"id":1,"cmd":"unsubscribe","params":{"sids":[9]}}', 7],
    ['{"id":1,"cmd":"subscribe","params":{"channels":["gossip"]}}', 8],
    ['{"id":1,"cmd":"subscribe","params":{"channels":7}}', 11],
    ['{"id":1,"cmd":"update_subscription","params":{"sids":[1,2]}}', 12],
    ['{"id":1,"cmd":"subscribe","params":{"channels":["orderbook_delta"]}}', 14],
    ['{"id":1,"cmd":"subscribe","params":{"channels":["ticker"],"market_tickers":["NOBODY"]}}', 16],
  ])('refuses %s with %i', async (text, code) => {
    client.socket.send(text);
    const [{ id, msg }] = await client.received('error');
    expect([id, msg]).toEqual([text.startsWith('{') ? 1 : undefined, { code, msg: expect.any(String) }]);
  });

  it('lists, refuses twice, changes and ends subscriptions', async () => {
    const fills = await client.subscribe('fill');
    const tickers = await client.subscribe('ticker', { market_ticker: 'WS-26-A' });
    expect((await client.command('subscribe', { channels: ['fill'] })).msg.code).toBe(6);
    expect((await client.command('list_subscriptions')).msg).toEqual([
      { channel: 'fill', sid: fills },
      { channel: 'ticker', sid: tickers },
    ]);
    const change = (action: string) =>
      client.command('update_subscription', { sid: tickers, action, market_tickers: ['WS-26-B'] });
    expect((await change('add_markets')).msg).toEqual({ market_tickers: ['WS-26-A', 'WS-26-B'] });
    expect((await change('delete_markets')).msg).toEqual({ market_tickers: ['WS-26-A'] });
    expect((await change('paint')).msg.code).toBe(13);
    expect(await client.command('unsubscribe', { sids: [fills] })).toMatchObject({ type: 'unsubscribed', sid: fills });
    expect((await client.command('list_subscriptions')).msg).toEqual([{ channel: 'ticker', sid: tickers }]);
  });
});

describe('books', () => {
  it('come whole first and then change by change, numbered without a gap', async () => {
    await book('WS-26-A', [[40, 100]], [[58, 100]]);
    const sid = await client.subscribe('orderbook_delta', { market_tickers: ['WS-26-A'] });
    const [snapshot] = await client.received('orderbook_snapshot');
    expect(snapshot).toMatchObject({ sid, seq: 1 });
    expect(snapshot.msg).toMatchObject({
      market_ticker: 'WS-26-A',
      yes_dollars_fp: [['0.4000', '100.00']],
      no_dollars_fp: [['0.5800', '100.00']],
    });
    await book(
      'WS-26-A',
      [[40, 70]],
      [
        [58, 100],
        [57, 1.5],
      ],
    );
    await book('WS-26-B', [[1, 1]], []);
    const deltas = await client.received('orderbook_delta', 2);
    expect(deltas.map(({ seq }) => seq)).toEqual([2, 3]);
    expect(deltas.map(({ msg }) => [msg.side, msg.price_dollars, msg.delta_fp])).toEqual([
      ['yes', '0.4000', '-30.00'],
      ['no', '0.5700', '1.50'],
    ]);
    await client.command('update_subscription', { sid, action: 'get_snapshot', market_tickers: ['WS-26-A'] });
    const [, again] = await client.received('orderbook_snapshot', 2);
    expect(again.seq).toBe(4);
    expect(again.msg.no_dollars_fp).toEqual([
      ['0.5700', '1.50'],
      ['0.5800', '100.00'],
    ]);
  });

  it('show NO at the YES price it stands for when that is asked for', async () => {
    await book('WS-26-A', [[40, 100]], [[58, 100]]);
    await client.subscribe('orderbook_delta', { market_tickers: ['WS-26-A'], use_yes_price: true });
    const [snapshot] = await client.received('orderbook_snapshot');
    expect(snapshot.msg.no_dollars_fp).toEqual([['0.4200', '100.00']]);
    await book('WS-26-A', [[40, 100]], [[57, 100]]);
    const deltas = await client.received('orderbook_delta', 2);
    expect(deltas.map(({ msg }) => [msg.price_dollars, msg.delta_fp]).sort()).toEqual([
      ['0.4200', '-100.00'],
      ['0.4300', '100.00'],
    ]);
  });
});

describe('the account', () => {
  it('gets its orders, fills and positions; every client gets trades and prices', async () => {
    await book('WS-26-B', [[40, 100]], [[58, 100]]);
    for (const channel of ['fill', 'user_orders', 'market_positions', 'trade', 'ticker']) {
      await client.subscribe(channel, { market_tickers: ['WS-26-B'] });
    }
    await book('WS-26-A', [[40, 100]], [[58, 100]]);
    await buy('WS-26-A');
    const { body: placed } = await buy('WS-26-B');
    const [fill] = await client.received('fill');
    expect(fill.msg).toMatchObject({
      order_id: placed.order_id,
      client_order_id: placed.client_order_id,
      market_ticker: 'WS-26-B',
      is_taker: true,
      outcome_side: 'yes',
      book_side: 'bid',
      yes_price_dollars: '0.4200',
      count_fp: '2.00',
      post_position_fp: '2.00',
    });
    const { fills } = (await exchange.get(`/portfolio/fills?order_id=${placed.order_id}`)).body;
    expect([fills[0].fill_id, fills[0].fee_cost]).toEqual([fill.msg.trade_id, fill.msg.fee_cost]);
    const [order] = await client.received('user_order');
    expect(order.msg).toMatchObject({ order_id: placed.order_id, status: 'executed', fill_count_fp: '2.00' });
    const [position] = await client.received('market_position');
    expect(position.msg).toMatchObject({ market_ticker: 'WS-26-B', position_fp: '2.00' });
    const [trade] = await client.received('trade');
    expect(trade.msg).toMatchObject({ market_ticker: 'WS-26-B', count_fp: '2.00', taker_side: 'yes' });
    const traded = () => client.frames.find(({ type, msg }) => type === 'ticker' && msg.price_dollars !== '0.0000');
    expect((await eventually(traded)).msg).toMatchObject({
      market_ticker: 'WS-26-B',
      price_dollars: '0.4200',
      yes_ask_dollars: '0.4200',
    });
    // No frame names the market without a subscription.
    expect(client.frames.filter((frame) => JSON.stringify(frame).includes('WS-26-A'))).toEqual([]);
  });

  it('tells every client that listens', async () => {
    const other = await Client.open();
    await client.subscribe('fill');
    await other.subscribe('fill');
    await book('WS-26-A', [[40, 100]], [[58, 100]]);
    await buy('WS-26-A');
    expect((await client.received('fill'))[0].msg).toEqual((await other.received('fill'))[0].msg);
    other.socket.terminate();
  });
});

describe('the life of markets', () => {
  it('is published step by step', async () => {
    await client.subscribe('market_lifecycle_v2', { market_tickers: ['WS-26-A'] });
    await exchange.market('WS-26-C');
    await exchange.world.admin('POST', '/markets/WS-26-C/status', { status: 'paused' });
    await exchange.world.admin('POST', '/markets/WS-26-C/status', { status: 'open' });
    await exchange.world.admin('POST', '/markets/WS-26-C/settle', { result: 'no' });
    const settled = () => client.frames.find(({ msg }) => msg.event_type === 'settled');
    expect((await eventually(settled)).msg.settled_ts).toBeGreaterThan(0);
    const steps = await client.received('market_lifecycle_v2');
    expect(steps.every(({ msg }) => msg.market_ticker === 'WS-26-C')).toBe(true);
    const names = steps.map(({ msg }) => msg.event_type);
    const positions = ['created', 'deactivated', 'activated', 'determined', 'settled'].map((name) =>
      names.lastIndexOf(name),
    );
    expect(positions).toEqual(positions.toSorted((a, b) => a - b));
    expect(Math.min(...positions)).toBe(0);
    const determined = steps.find(({ msg }) => msg.event_type === 'determined');
    expect(determined.msg).toMatchObject({ result: 'no', settlement_value: '0.0000' });
  });
});
