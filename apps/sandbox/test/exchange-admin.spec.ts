import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { ExchangeClient, type Json } from './exchange-client.js';
import { temporaryDir } from './world.js';

let exchange: ExchangeClient;
const data = temporaryDir();

const admin = async (method: string, route: string, body?: unknown): Promise<{ status: number; body: Json }> =>
  exchange.world.admin(method, route, body);

const order = (ticker: string, more: object = {}) =>
  exchange.call('POST', '/portfolio/events/orders', {
    ...{ ticker, side: 'bid', count: '10', price: '0.42', client_order_id: crypto.randomUUID() },
    ...{ time_in_force: 'immediate_or_cancel', self_trade_prevention_type: 'taker_at_cross' },
    ...more,
  });

beforeAll(async () => {
  exchange = await ExchangeClient.start({ SANDBOX_DATA_DIR: data.dir });
  await admin('POST', '/prices', { freeze: true });
  // The market maker may have had a turn before. A restart forgets its quotes, and it makes none while prices are frozen.
  await exchange.restart();
});

afterAll(async () => {
  await exchange.stop();
  data.remove();
});

describe('POST /markets', () => {
  const market = { ticker: 'ADM-26-A', title: 'Will it work?', yesAsk: 42, yesBid: 40, size: 100 };

  it('adds a market with resting liquidity, and the event and series it needs', async () => {
    const made = await admin('POST', '/markets', market);
    expect(made.status).toBe(200);
    expect(made.body.market).toMatchObject({
      ticker: 'ADM-26-A',
      eventTicker: 'ADM-26',
      seriesTicker: 'ADM',
      title: 'Will it work?',
      status: 'open',
      ...{ yesBid: 40, yesAsk: 42, noBid: 58, noAsk: 60, lastPrice: null, result: null },
    });
    const { body } = await exchange.get('/series/ADM');
    expect(body.series).toMatchObject({ category: 'Sandbox', categories: ['Sandbox'] });
    expect((await exchange.get('/search/tags_by_categories')).body.tags_by_categories).toHaveProperty('Sandbox');
    expect((await exchange.get('/events/ADM-26')).body.markets).toHaveLength(1);
    expect((await admin('GET', '/markets')).body.markets.at(-1)).toEqual(made.body.market);
  });

  it('adds it to an event that is there', async () => {
    const more = { ...market, ticker: 'ADM-OTHER', eventTicker: 'ADM-26', title: 'Or not?' };
    expect((await admin('POST', '/markets', more)).body.market).toMatchObject({ seriesTicker: 'ADM' });
    const elsewhere = { ...more, ticker: 'ADM-THIRD', seriesTicker: 'KXFED' };
    expect(await admin('POST', '/markets', elsewhere)).toMatchObject({ status: 400 });
    expect((await exchange.get('/events/ADM-26')).body.event.title).toBe('Will it work?');
  });

  it('closes the market at its close time', async () => {
    const closeTime = new Date(Date.now() + 3_600_000).toISOString();
    const short = { ...market, ticker: 'SHORT-26-A', closeTime };
    expect((await admin('POST', '/markets', short)).body.market).toMatchObject({ closeTime, status: 'open' });
    await admin('POST', '/clock', { advanceSeconds: 3_601 });
    expect((await exchange.get('/markets/SHORT-26-A')).body.market.status).toBe('closed');
    expect((await order('SHORT-26-A')).body.error.code).toBe('MARKET_INACTIVE');
  });

  it.each([
    [{ ticker: 'ADM-26-A' }, 409, 'there already'],
    [{ ticker: 'a/b' }, 400, 'ticker'],
    [{ ticker: '' }, 400, 'ticker'],
    [{ title: '' }, 400, 'title'],
    [{ yesBid: 42 }, 400, 'yesBid'],
    [{ yesBid: 40.5 }, 400, 'yesBid'],
    [{ yesAsk: 101 }, 400, 'yesAsk'],
    [{ size: 0 }, 400, 'size'],
    [{ size: 0.001 }, 400, 'size'],
    [{ closeTime: 'soon' }, 400, 'closeTime'],
    [{ closeTime: '2020-01-01T00:00:00Z' }, 400, 'closeTime'],
    [{ colour: 'red' }, 400, 'colour'],
  ])('refuses %j', async (change, status, reason) => {
    const reply = await admin('POST', '/markets', { ...market, ticker: 'NEW-26-A', ...change });
    expect(reply).toEqual({ status, body: { error: expect.stringContaining(reason) } });
    expect((await exchange.get('/markets/NEW-26-A')).status).toBe(404);
  });
});

describe('a market', () => {
  it('has the book that was set, and nothing else', async () => {
    await exchange.market('BOOK-26-A');
    const book = {
      yesBids: [
        [30, 5],
        ['29', '2.5'],
      ],
      noBids: [],
    };
    const { body } = await admin('POST', '/markets/BOOK-26-A/book', book);
    expect(body.market).toMatchObject({ yesBid: 30, yesAsk: null, noBid: null, noAsk: 70 });
    expect((await exchange.get('/markets/BOOK-26-A/orderbook')).body.orderbook_fp).toEqual({
      yes_dollars: [
        ['0.2900', '2.50'],
        ['0.3000', '5.00'],
      ],
      no_dollars: [],
    });
  });

  it.each([
    [{ yesBids: [[50, 1]], noBids: [[50, 1]] }],
    [{ yesBids: [[30.5, 1]], noBids: [] }],
    [{ yesBids: [[0, 1]], noBids: [] }],
    [{ yesBids: [[100, 1]], noBids: [] }],
    [{ yesBids: [[30, 0]], noBids: [] }],
    [{ yesBids: [[30]], noBids: [] }],
    [{ yesBids: [] }],
  ])('keeps its book when it is offered %j', async (book) => {
    const before = (await exchange.get('/markets/BOOK-26-A/orderbook')).body;
    expect((await admin('POST', '/markets/BOOK-26-A/book', book)).status).toBe(400);
    expect((await exchange.get('/markets/BOOK-26-A/orderbook')).body).toEqual(before);
  });

  it('is paused, closed and opened', async () => {
    await exchange.market('STATE-26-A');
    const status = (word: string) => admin('POST', '/markets/STATE-26-A/status', { status: word });
    expect((await status('paused')).body.market).toMatchObject({ status: 'paused', exchangeStatus: 'inactive' });
    expect((await order('STATE-26-A')).body.error.code).toBe('TRADING_PAUSED');
    expect((await status('closed')).body.market).toMatchObject({ status: 'closed' });
    expect((await order('STATE-26-A')).body.error.code).toBe('MARKET_INACTIVE');
    expect((await status('open')).body.market).toMatchObject({ status: 'open' });
    expect((await status('broken')).status).toBe(400);
  });

  it.each([
    [{ result: 'yes' }, 100],
    [{ result: 'no' }, 0],
    [{ result: 'scalar', valueCents: 37 }, 37],
    [{ result: 'void', valueCents: 42 }, 42],
  ])('ends with %j', async (ending, valueCents) => {
    const ticker = `END-26-${ending.result}`;
    await exchange.market(ticker);
    const { body } = await admin('POST', `/markets/${ticker}/settle`, ending);
    expect(body.market).toMatchObject({ status: 'settled', result: ending.result, valueCents });
    expect((await admin('POST', `/markets/${ticker}/settle`, ending)).status).toBeGreaterThanOrEqual(400);
    expect((await admin('POST', `/markets/${ticker}/status`, { status: 'open' })).status).toBeGreaterThanOrEqual(400);
  });

  it.each([[{ result: 'scalar' }], [{ result: 'maybe' }], [{ result: 'scalar', valueCents: 101 }], [{}]])(
    'does not end with %j',
    async (ending) => {
      expect((await admin('POST', '/markets/STATE-26-A/settle', ending)).status).toBe(400);
    },
  );

  it('is answered with 404 when there is none', async () => {
    for (const action of ['book', 'settle', 'status']) {
      expect(await admin('POST', `/markets/UNKNOWN/${action}`, {})).toEqual({
        status: 404,
        body: { error: 'unknown market: UNKNOWN' },
      });
    }
  });
});

describe('the operator’s account', () => {
  const account = async (): Promise<Json> => (await admin('GET', '/exchange/account')).body;

  it('is shown as it is: yes positive, no negative', async () => {
    await exchange.market('HELD-26-A');
    await exchange.market('HELD-26-B');
    expect(await account()).toMatchObject({ balanceDollars: '100000.0000', positions: [], orders: [], fills: [] });
    await order('HELD-26-A');
    await order('HELD-26-B', { side: 'ask', price: '0.40', count: '2.5' });
    const { positions, orders, fills, balanceDollars } = await account();
    expect(positions).toEqual([
      { ticker: 'HELD-26-A', position: 10 },
      { ticker: 'HELD-26-B', position: -2.5 },
    ]);
    expect(orders.map(({ filled }: Json) => filled)).toEqual(['10.00', '2.50']);
    expect(fills).toMatchObject([
      { ticker: 'HELD-26-A', side: 'yes', count: '10.00', yesPriceDollars: '0.4200' },
      { ticker: 'HELD-26-B', side: 'no', count: '2.50', yesPriceDollars: '0.4000' },
    ]);
    expect((await exchange.get('/portfolio/balance')).body.balance_dollars).toBe(balanceDollars);
  });

  it('takes money from outside and gives it back, never more than it has', async () => {
    const before = Number((await account()).balanceDollars);
    const move = (addUsd: number | string) => admin('POST', '/exchange/account', { addUsd });
    expect(Number((await move('0.000001')).body.balanceDollars)).toBeCloseTo(before + 0.000001, 6);
    expect(Number((await move('-0.000001')).body.balanceDollars)).toBeCloseTo(before, 6);
    expect((await move(-before - 1)).status).toBe(400);
    expect((await move('much')).status).toBe(400);
    await move(-before + 1);
    expect((await order('HELD-26-A')).body.error.code).toBe('insufficient_balance');
    await move(before - 1);
  });

  it('cannot trade while the exchange does not', async () => {
    await admin('POST', '/exchange/status', { isTrading: false });
    expect((await exchange.get('/exchange/status')).body.trading_active).toBe(false);
    expect((await order('HELD-26-A')).body.error.code).toBe('EXCHANGE_PAUSED');
    expect((await admin('POST', '/exchange/status', { isTrading: true })).body).toEqual({ isTrading: true });
  });

  it('is the same after a restart, and so are the markets', async () => {
    const before = [await account(), (await admin('GET', '/markets')).body];
    await exchange.restart();
    expect([await account(), (await admin('GET', '/markets')).body]).toEqual(before);
    const again = await order('HELD-26-A', { client_order_id: before[0].orders[0].clientOrderId });
    expect(again.body.error.code).toBe('order_already_exists');
  });
});

describe('faults of the exchange', () => {
  it.each([
    ['error500', 500],
    ['error429', 429],
    ['rejectOrder', 400],
  ])('%s acts on the market it names, once', async (fault, status) => {
    await exchange.world.arm(fault, { match: { ticker: 'HELD-26-B' } }, 'exchange');
    expect((await order('HELD-26-A')).status).toBe(201);
    expect((await order('HELD-26-B')).status).toBe(status);
    expect((await order('HELD-26-B')).status).toBe(201);
    const { faults } = (await admin('GET', '/faults')).body;
    expect(faults.at(-1)).toMatchObject({ part: 'exchange', fault, used: 1 });
  });

  it('act on other paths when they are named', async () => {
    const match = { path: '/trade-api/v2/markets/HELD-26-A' };
    await exchange.world.arm('error500', { match }, 'exchange');
    expect((await exchange.get('/markets')).status).toBe(200);
    expect((await exchange.get('/markets/HELD-26-A')).status).toBe(500);
    expect((await exchange.get('/markets/HELD-26-A')).status).toBe(200);
  });

  it('are known by name, and by default lag as long as nodes do', async () => {
    const { body } = await admin('POST', '/faults', { part: 'exchange', fault: 'explode' });
    expect(body.error).toContain('duplicateSettlement');
    await admin('POST', '/faults', { part: 'exchange', fault: 'lagPortfolio' });
    expect((await admin('GET', '/faults')).body.faults.at(-1)).toMatchObject({ delayMs: 5_000 });
    await admin('DELETE', '/faults');
  });
});
