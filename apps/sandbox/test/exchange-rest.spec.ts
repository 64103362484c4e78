import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { ExchangeClient, type Json } from './exchange-client.js';

describe('market data of the exchange', () => {
  let exchange: ExchangeClient;
  const get = (route: string) => exchange.get(route);
  const tickers = (list: Array<{ ticker: string }>): string[] => list.map(({ ticker }) => ticker);

  beforeAll(async () => {
    exchange = await ExchangeClient.start();
    await exchange.world.admin('POST', '/prices', { freeze: true });
  });

  afterAll(() => exchange.stop());

  describe('markets', () => {
    it('pages through all of them, each once, at any page size', async () => {
      const whole = tickers((await get('/markets?limit=1000')).body.markets);
      expect(whole.length).toBeGreaterThanOrEqual(120);
      expect(tickers(await exchange.pages('/markets?limit=7', 'markets'))).toEqual(whole);
      expect(tickers(await exchange.pages('/markets', 'markets'))).toEqual(whole);
      const { body } = await get('/markets');
      expect([body.markets.length, body.cursor.length > 0]).toEqual([100, true]);
      expect((await get(`/markets?limit=${whole.length}`)).body.cursor).toBe('');
      expect((await get(`/markets?limit=${whole.length - 1}`)).body.cursor).not.toBe('');
    });

    it('goes on where it was when a market on the page before has left the filter', async () => {
      const open = tickers(await exchange.pages('/markets?status=open&limit=50', 'markets'));
      const first = (await get('/markets?status=open&limit=10')).body;
      await exchange.world.admin('POST', `/markets/${open[9]}/status`, { status: 'paused' });
      const second = (await get(`/markets?status=open&limit=10&cursor=${first.cursor}`)).body;
      await exchange.world.admin('POST', `/markets/${open[9]}/status`, { status: 'open' });
      expect(tickers(second.markets)).toEqual(open.slice(10, 20));
    });

    it.each([
      ['unopened', 'initialized'],
      ['open', 'active'],
      ['paused', 'inactive'],
      ['closed', 'closed'],
      ['settled', 'finalized'],
    ])('filters %s ones, which call themselves %s', async (filter, status) => {
      const { body } = await get(`/markets?status=${filter}&limit=1000`);
      expect(new Set(body.markets.map((market: Json) => market.status))).toEqual(new Set([status]));
    });

    it('filters by event, series, tickers and combos', async () => {
      const all = (await get('/markets?limit=1000')).body.markets;
      const { event_ticker: event } = all[0];
      const ofEvent = (await get(`/markets?event_ticker=${event}`)).body.markets;
      expect(ofEvent).toEqual(all.filter((market: Json) => market.event_ticker === event));
      const ofSeries = (await get('/markets?series_ticker=KXFED')).body.markets;
      expect(ofSeries.length).toBe(20);
      expect(ofSeries.every((market: Json) => market.ticker.startsWith('KXFED-'))).toBe(true);
      const named = [all[3].ticker, all[1].ticker];
      expect(tickers((await get(`/markets?tickers=${named.join()}`)).body.markets)).toEqual(named.reverse());
      const combos = (await get('/markets?mve_filter=only')).body.markets;
      expect(combos.map((market: Json) => market.mve_selected_legs.length)).toEqual([2, 2]);
      expect((await get(`/markets?event_ticker=${combos[0].event_ticker}`)).body.markets).toEqual(combos);
      const { event: nested } = (await get(`/events/${combos[0].event_ticker}?with_nested_markets=true`)).body;
      expect(nested.markets).toEqual(combos);
      const others = (await get('/markets?mve_filter=exclude&limit=1000')).body.markets;
      expect(others.length).toBe(all.length - combos.length);
      expect((await get('/markets?series_ticker=NOBODY')).body).toEqual({ markets: [], cursor: '' });
    });

    it('filters by one time at a time, both ends counted', async () => {
      const all = (await get('/markets?limit=1000')).body.markets;
      const seconds = Date.parse(all[0].close_time) / 1000;
      const closing = (await get(`/markets?min_close_ts=${seconds}&max_close_ts=${seconds}&limit=1000`)).body.markets;
      expect(closing).toEqual(all.filter((market: Json) => market.close_time === all[0].close_time));
      const settled = (await get('/markets?status=settled&min_settled_ts=1')).body.markets;
      expect(settled.length).toBeGreaterThan(0);
      expect((await get('/markets?min_settled_ts=1&limit=1000')).body.markets).toEqual(settled);
      expect((await get('/markets?min_updated_ts=4000000000')).body.markets).toEqual([]);
    });

    it.each([
      'limit=0',
      'limit=1001',
      'limit=1.5',
      'limit=many',
      'cursor=nonsense',
      'status=active',
      'status=open,closed',
      'mve_filter=both',
      'min_close_ts=soon',
      'min_close_ts=1&min_settled_ts=1',
      'status=open&min_close_ts=1',
      'status=closed&min_settled_ts=1',
      'status=settled&max_created_ts=1',
      'min_updated_ts=1&status=open',
      'min_updated_ts=1&min_close_ts=1',
      'min_updated_ts=1&tickers=A',
    ])('refuses ?%s', async (query) => {
      const { status, body } = await get(`/markets?${query}`);
      expect(status).toBe(400);
      expect(body).toEqual({ error: { code: expect.any(String), message: expect.any(String) } });
    });

    it('shows one with its book’s best prices on both sides', async () => {
      await exchange.market('SHOW-26-A', { yesBid: 40, yesAsk: 43, size: 2.5 });
      const { body } = await get('/markets/SHOW-26-A');
      expect(body.market).toMatchObject({
        ticker: 'SHOW-26-A',
        event_ticker: 'SHOW-26',
        status: 'active',
        yes_bid_dollars: '0.4000',
        yes_bid_size_fp: '2.50',
        yes_ask_dollars: '0.4300',
        yes_ask_size_fp: '2.50',
        no_bid_dollars: '0.5700',
        no_ask_dollars: '0.6000',
        last_price_dollars: '0.0000',
        volume_fp: '0.00',
        result: '',
        price_ranges: [{ start: '0.0000', end: '1.0000', step: '0.0100' }],
      });
      expect(body.market).not.toHaveProperty('settlement_value_dollars');
    });

    it('shows an empty side as 0 to bid and 1 to ask', async () => {
      await exchange.market('EMPTY-26-A', { yesBid: 0, yesAsk: 30, size: 1 });
      const { market } = (await get('/markets/EMPTY-26-A')).body;
      expect([market.yes_bid_dollars, market.yes_ask_dollars]).toEqual(['0.0000', '0.3000']);
      expect([market.no_bid_dollars, market.no_ask_dollars]).toEqual(['0.7000', '1.0000']);
    });

    it.each([
      ['yes', undefined, 'yes', '1.0000'],
      ['no', undefined, 'no', '0.0000'],
      ['scalar', 37, 'scalar', '0.3700'],
      ['void', 50, 'scalar', '0.5000'],
    ])('shows how a market ended: %s', async (result, valueCents, shown, value) => {
      const ticker = `END-26-${result}`;
      await exchange.market(ticker);
      await exchange.world.admin('POST', `/markets/${ticker}/settle`, { result, ...(valueCents && { valueCents }) });
      const { market } = (await get(`/markets/${ticker}`)).body;
      expect(market).toMatchObject({ status: 'finalized', result: shown, settlement_value_dollars: value });
      expect(Date.parse(market.settlement_ts)).toBeGreaterThan(0);
    });

    it.each(['/markets/NOBODY', '/markets/NOBODY/orderbook', '/markets/orderbooks?tickers=NOBODY', '/nowhere'])(
      'knows no %s',
      async (route) => {
        const { status, body } = await get(route);
        expect([status, body.error.code]).toEqual([404, 'not_found']);
      },
    );
  });

  describe('books', () => {
    beforeAll(async () => {
      await exchange.market('BOOK-26-A');
      const yesBids = [20, 40, 30].map((cents) => [cents, cents * 10]);
      await exchange.world.admin('POST', '/markets/BOOK-26-A/book', { yesBids, noBids: [[55, 0.5]] });
    });

    it('holds bids only, the best last', async () => {
      expect((await get('/markets/BOOK-26-A/orderbook')).body).toEqual({
        orderbook_fp: {
          yes_dollars: [
            ['0.2000', '200.00'],
            ['0.3000', '300.00'],
            ['0.4000', '400.00'],
          ],
          no_dollars: [['0.5500', '0.50']],
        },
      });
    });

    it.each([
      ['1', 1],
      ['2', 2],
      ['100', 3],
      ['0', 3],
      ['-1', 3],
    ])('is cut to the best %s levels', async (depth, count) => {
      const { orderbook_fp: book } = (await get(`/markets/BOOK-26-A/orderbook?depth=${depth}`)).body;
      expect(book.yes_dollars).toHaveLength(count);
      expect(book.yes_dollars.at(-1)).toEqual(['0.4000', '400.00']);
    });

    it('refuses a depth beyond 100', async () => {
      expect((await get('/markets/BOOK-26-A/orderbook?depth=101')).status).toBe(400);
    });

    it('are read several at once', async () => {
      const one = (await get('/markets/BOOK-26-A/orderbook')).body;
      for (const query of ['tickers=BOOK-26-A&tickers=SHOW-26-A', 'tickers=BOOK-26-A,SHOW-26-A']) {
        const { orderbooks } = (await get(`/markets/orderbooks?${query}`)).body;
        expect(tickers(orderbooks)).toEqual(['BOOK-26-A', 'SHOW-26-A']);
        expect(orderbooks[0].orderbook_fp).toEqual(one.orderbook_fp);
      }
      expect((await get('/markets/orderbooks')).status).toBe(400);
    });
  });

  describe('events and series', () => {
    it('pages through events, without the combos, which have a list of their own', async () => {
      const whole = (await get('/events')).body.events.map((event: Json) => event.event_ticker);
      const paged = await exchange.pages('/events?limit=9', 'events');
      expect(paged.map((event) => event.event_ticker)).toEqual(whole);
      expect(whole.some((ticker: string) => ticker.startsWith('KXMVECOMBO'))).toBe(false);
      const combos = (await get('/events/multivariate')).body.events;
      expect(combos.map((event: Json) => event.event_ticker)).toEqual(['KXMVECOMBO-S1']);
      expect((await get('/events?limit=201')).status).toBe(400);
    });

    it.each(['unopened', 'open', 'closed', 'settled'])('filters %s ones by their markets', async (status) => {
      const { events } = (await get(`/events?status=${status}&with_nested_markets=true`)).body;
      expect(events.length).toBeGreaterThan(0);
      const word = { unopened: 'initialized', open: 'active', closed: 'closed', settled: 'finalized' }[status];
      const plain = events.filter((event: Json) => !event.markets.some((market: Json) => market.status === 'inactive'));
      for (const event of plain) expect(event.markets.some((market: Json) => market.status === word)).toBe(true);
    });

    it('filters by series, tickers and closing time', async () => {
      const ofSeries = (await get('/events?series_ticker=KXFED')).body.events;
      expect(ofSeries.map((event: Json) => event.series_ticker)).toEqual(Array(4).fill('KXFED'));
      const two = ofSeries.slice(0, 2).map((event: Json) => event.event_ticker);
      expect((await get(`/events?tickers=${two.join()}`)).body.events).toEqual(ofSeries.slice(0, 2));
      expect((await get('/events?min_close_ts=4000000000')).body.events).toEqual([]);
    });

    it('brings markets and milestones along when they are asked for', async () => {
      const { events, milestones } = (await get('/events?series_ticker=KXPBGAME&with_milestones=true')).body;
      expect(events[0]).not.toHaveProperty('markets');
      expect(milestones.length).toBe(events.length);
      const ticker = events[0].event_ticker;
      const nested = (await get(`/events/${ticker}?with_nested_markets=true`)).body;
      expect([nested.event.markets.length, nested.markets]).toEqual([2, []]);
      const beside = (await get(`/events/${ticker}`)).body;
      expect([beside.event.markets, beside.markets]).toEqual([undefined, nested.event.markets]);
      expect((await get(`/events/${ticker}/metadata`)).body.market_details.length).toBe(2);
      expect((await get('/events/NOBODY')).status).toBe(404);
    });

    it('lists series whole, by category, by tag, with what traded', async () => {
      const { series } = (await get('/series')).body;
      expect(series.length).toBeGreaterThanOrEqual(10);
      const economics = (await get('/series?category=Economics')).body.series;
      expect(economics).toEqual(series.filter((one: Json) => one.categories.includes('Economics')));
      expect((await get('/series?category=economics')).body.series).toEqual([]);
      // One that is found under a second category, too.
      expect(tickers((await get('/series?category=Science')).body.series)).toEqual(['KXRAINSEA']);
      expect(tickers((await get('/series?tags=BTC')).body.series)).toEqual(['KXBTCD']);
      const { series: one } = (await get('/series/KXFED?include_volume=true')).body;
      expect(Number(one.volume_fp)).toBeGreaterThan(0);
      expect(one.fee_multiplier).toBe(1);
      expect((await get('/series/NOBODY')).status).toBe(404);
    });

    it('knows which fees change, and how an event’s differ from its series’', async () => {
      const coming = (await get('/series/fee_changes')).body.series_fee_change_arr;
      expect(coming).toMatchObject([{ series_ticker: 'KXSENATE', fee_type: 'quadratic_with_maker_fees' }]);
      expect((await get('/series/fee_changes?series_ticker=KXFED')).body.series_fee_change_arr).toEqual([]);
      const { event_fee_changes: changes } = (await get('/events/fee_changes')).body;
      const { event } = (await get(`/events/${changes[0].event_ticker}`)).body;
      expect([event.fee_type_override, event.fee_multiplier_override]).toEqual(['quadratic', 0.5]);
      expect(changes[0]).toMatchObject({ fee_type_override: 'quadratic', fee_multiplier_override: 0.5 });
    });
  });
});
