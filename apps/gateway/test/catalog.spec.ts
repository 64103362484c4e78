import { predictionV1 } from '@agent-wallet/contracts';
import { AppError } from '@agent-wallet/kernel';
import type { GrpcController } from '@agent-wallet/platform';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import { CATALOG_ROUTES } from '../src/api/catalog-routes.js';
import { CATALOG_EVENT_ROUTES } from '../src/api/catalog-event-routes.js';
import { DETAILS, EVENT, MARKET, MILESTONE, SERIES, TARGET } from './catalog-script.js';
import type { Client } from './client.js';
import { expectFailure } from './expect-failure.js';
import { GENEROUS } from './wallet-script.js';
import { World } from './world.js';

let world: World;
let client: Client;
let agentId: string;
beforeAll(async () => {
  world = await World.open({ rateLimits: GENEROUS });
  ({ client, agentId } = await world.login());
});
beforeEach(() => world.reset());
afterAll(() => world.close());

const ROUTES = [...CATALOG_ROUTES, ...CATALOG_EVENT_ROUTES];
const NAMES: Readonly<Record<string, string>> = {
  ticker: MARKET.ticker,
  event_ticker: EVENT.eventTicker,
  series_ticker: SERIES.ticker,
  milestone_id: MILESTONE.id,
  structuredTargetId: TARGET.id,
};
const concrete = (path: string, names = NAMES) => path.replace(/\{(\w+)\}/g, (_, name: string) => names[name]!);

type Method = keyof GrpcController<predictionV1.CatalogServiceService>;

/** What one method is asked, while it answers as before. */
function asked(method: Method): object[] {
  const requests: object[] = [];
  const { [method]: answer } = world.script.catalog as unknown as Record<Method, (request: object) => object>;
  const scripted = (request: object) => {
    requests.push(request);
    return answer(request);
  };
  Object.assign(world.script.catalog, { [method]: scripted });
  return requests;
}

const LISTED = {
  ticker: 'KXFED-26DEC-T4.00',
  eventTicker: 'KXFED-26DEC',
  title: 'Above 4.00%?',
  subtitle: 'What it resolves on.',
  status: 'open',
  paused: false,
  yesBid: 62,
  yesAsk: 65,
  noBid: 35,
  noAsk: 38,
  lastPrice: 64,
  yesBidDollars: '0.624',
  yesAskDollars: '0.645',
  noBidDollars: '0.355',
  noAskDollars: '0.376',
  lastPriceDollars: '0.635',
  volume24h: 1250.5,
  openInterest: 9800,
  closeTime: '2026-11-21T10:00:00.000Z',
};

describe('every read of the exchange', () => {
  it.each(ROUTES)('$path answers as it is documented', async ({ path, response }) => {
    const answer = await client.get(concrete(path));
    expect(answer.status).toBe(200);
    expect(response.safeParse(answer.body.data).error).toBeUndefined();
  });

  it.each(ROUTES)('$path is a 403 with its rule when the switch is off', async ({ path }) => {
    const refuse = async (): Promise<never> => {
      throw new AppError('POLICY_VIOLATION', { data: { rule: 'prediction_markets_disabled' } });
    };
    for (const method of Object.keys(world.script.catalog)) Object.assign(world.script.catalog, { [method]: refuse });
    const answer = await client.get(concrete(path));
    expectFailure(answer, 403, 'POLICY_VIOLATION');
    expect(answer.body.data).toMatchObject({ rule: 'prediction_markets_disabled', limitUsd: null });
  });

  it.each(ROUTES.filter(({ params }) => params))('$path is a 404 for what is unknown', async ({ path }) => {
    const unknown = Object.fromEntries(Object.keys(NAMES).map((name) => [name, 'KX-UNKNOWN']));
    expectFailure(await client.get(concrete(path, unknown)), 404, 'NOT_FOUND');
  });

  it.each(ROUTES)('$path needs a token, and takes no field that is not listed', async ({ path }) => {
    expectFailure(await world.client.get(concrete(path)), 401, 'AUTHENTICATION_ERROR');
    expectFailure(await client.get(`${concrete(path)}?more=1`), 400, 'VALIDATION_ERROR');
  });

  it('is a 503 while the exchange is unreachable, and reveals nothing of its error', async () => {
    world.script.catalog.listMarkets = async () => {
      throw new AppError('SERVICE_UNAVAILABLE', { message: 'the exchange said: secret' });
    };
    const answer = await client.get('/predictions/markets');
    expectFailure(answer, 503, 'SERVICE_UNAVAILABLE');
    expect(answer.text).not.toContain('secret');
    await world.services.prediction.kill();
    expectFailure(await client.get('/predictions/series'), 503, 'SERVICE_UNAVAILABLE');
    await world.restartServices();
  });
});

describe('markets', () => {
  it('are listed in cents with exact dollars beside them, and filtered', async () => {
    const requests = asked('listMarkets');
    const filters = 'status=open&event_ticker=E&series_ticker=S&limit=1000&cursor=c%2B1&tradeable_only=true';
    const answer = await client.get(`/predictions/markets?${filters}`);
    expect(answer.body.data).toEqual({ markets: [LISTED], cursor: 'next-page' });
    expect(answer.text).toContain('"volume24h":1250.5,');
    await client.get('/predictions/markets');
    expect(requests).toEqual([
      {
        agentId,
        status: predictionV1.MarketStatus.MARKET_STATUS_OPEN,
        eventTicker: 'E',
        seriesTicker: 'S',
        tradeableOnly: true,
        limit: 1_000,
        cursor: 'c+1',
      },
      { agentId, status: 0, eventTicker: '', seriesTicker: '', tradeableOnly: false, limit: 50, cursor: '' },
    ]);
  });

  it.each([
    ['unopened', predictionV1.MarketStatus.MARKET_STATUS_UNOPENED],
    ['closed', predictionV1.MarketStatus.MARKET_STATUS_CLOSED],
    ['settled', predictionV1.MarketStatus.MARKET_STATUS_SETTLED],
  ])('that are %s are asked for and shown so', async (name, status) => {
    world.script.catalog.listMarkets = async (request: predictionV1.ListMarketsRequest) => ({
      markets: [{ ...MARKET, status: request.status }],
      cursor: '',
    });
    const { data } = (await client.get(`/predictions/markets?status=${name}`)).body;
    expect([data.markets[0].status, data.cursor, status]).toEqual([name, '', status]);
  });

  it('with an empty book have null on both sides', async () => {
    const empty = { yesBidUsdMicros: undefined, yesAskUsdMicros: undefined, lastPriceUsdMicros: undefined };
    world.script.catalog.listMarkets = async () => ({
      markets: [{ ...MARKET, ...empty, noBidUsdMicros: undefined, noAskUsdMicros: undefined, paused: true }],
      cursor: '',
    });
    const { data } = (await client.get('/predictions/markets')).body;
    expect(data.markets[0]).toMatchObject({
      ...{ yesBid: null, yesAsk: null, noBid: null, noAsk: null, lastPrice: null, paused: true },
      ...{ yesBidDollars: null, yesAskDollars: null, noBidDollars: null, noAskDollars: null, lastPriceDollars: null },
    });
  });

  it('between whole cents show exact prices, and null where cents would be 0 or 100', async () => {
    const prices = { yesBidUsdMicros: 992_000n, yesAskUsdMicros: 995_000n, noBidUsdMicros: 5_000n };
    const market = { ...MARKET, ...prices, noAskUsdMicros: 8_000n, lastPriceUsdMicros: 996_000n };
    world.script.catalog.listMarkets = async () => ({ markets: [market], cursor: '' });
    const { data } = (await client.get('/predictions/markets')).body;
    expect(data.markets[0]).toMatchObject({
      ...{ yesBid: 99, yesAsk: null, noBid: null, noAsk: 1, lastPrice: null },
      ...{ yesBidDollars: '0.992', yesAskDollars: '0.995', noBidDollars: '0.005', lastPriceDollars: '0.996' },
    });
  });

  it.each([
    ['status=any', 'status'],
    ['limit=0', 'limit'],
    ['limit=1001', 'limit'],
    ['limit=1.5', 'limit'],
    ['tradeable_only=yes', 'tradeable_only'],
    [`cursor=${'c'.repeat(1_001)}`, 'cursor'],
    ['event_ticker=%00', 'event_ticker'],
    ['series_ticker=a&series_ticker=b', 'series_ticker'],
    ['eventTicker=E', 'eventTicker'],
  ])('are not listed with %s', async (query, field) => {
    const answer = await client.get(`/predictions/markets?${query}`);
    expectFailure(answer, 400, 'VALIDATION_ERROR');
    expect(answer.body.data.details[0].field).toBe(field);
  });

  it('have details', async () => {
    const { data } = (await client.get(`/predictions/markets/${MARKET.ticker}`)).body;
    expect(data.market).toEqual({
      ...LISTED,
      marketType: 'binary',
      yesSubTitle: 'Above',
      noSubTitle: 'Not above',
      openTime: '2026-11-21T10:00:00.000Z',
      expectedExpirationTime: '2026-11-21T10:00:00.000Z',
      latestExpirationTime: '2026-11-21T10:00:00.000Z',
      settlementTimerSeconds: 3600,
      volume: 54210,
      previousPrice: 61,
      previousPriceDollars: '0.614999',
      result: '',
      settlementValue: null,
      settlementValueDollars: null,
      settledAt: null,
      canCloseEarly: true,
      strikeType: 'greater',
      floorStrike: 4,
      capStrike: null,
      rulesPrimary: 'Rules.',
      rulesSecondary: '',
    });
  });

  it('that are settled tell what a contract paid, to the micro-dollar', async () => {
    const details = {
      ...DETAILS,
      result: 'scalar',
      settlementValueUsdMicros: 334_567n,
      settledAtMs: MARKET.closeTimeMs,
    };
    world.script.catalog.getMarket = async () => ({ market: { ...MARKET, details } });
    const { data } = (await client.get('/predictions/markets/ANY')).body;
    expect(data.market).toMatchObject({
      result: 'scalar',
      settlementValue: 33.4567,
      settlementValueDollars: '0.334567',
    });
    expect(data.market.settledAt).toBe('2026-11-21T10:00:00.000Z');
  });

  it('have a book of bids, the best last', async () => {
    const requests = asked('getOrderbook');
    const path = `/predictions/markets/${MARKET.ticker}/orderbook`;
    expect((await client.get(`${path}?depth=100`)).body.data).toEqual({
      ticker: MARKET.ticker,
      yes: [
        { price: 61, priceDollars: '0.61', quantity: 400 },
        { price: 62, priceDollars: '0.624', quantity: 1.5 },
      ],
      no: [],
    });
    await client.get(path);
    expect(requests).toEqual([100, 0].map((depth) => ({ agentId, ticker: MARKET.ticker, depth })));
    expectFailure(await client.get(`${path}?depth=101`), 400, 'VALIDATION_ERROR');
  });
});

describe('what markets are about', () => {
  it('is shown with null for what is not there', async () => {
    Object.assign(world.script.catalog, {
      getEvent: async () => ({
        event: { ...EVENT, category: '', strikeDateMs: undefined, strikePeriod: 'Q4', lastUpdatedAtMs: undefined },
        markets: [],
      }),
      getSeries: async () => ({ series: { ...SERIES, volumeHundredths: undefined } }),
      getMilestone: async () => ({ milestone: { ...MILESTONE, endDateMs: undefined, detailsJson: '' } }),
      getStructuredTarget: async () => ({ structuredTarget: { ...TARGET, sourceId: '', lastUpdatedAtMs: undefined } }),
    });
    const read = async (path: string) => (await client.get(`/predictions/${path}/ANY`)).body.data;
    const nothing = { category: null, strikeDate: null, strikePeriod: 'Q4', lastUpdatedAt: null, markets: [] };
    expect((await read('events')).event).toMatchObject(nothing);
    expect((await read('series')).series.volume).toBeNull();
    expect((await read('milestones')).milestone).toMatchObject({ endDate: null, details: {} });
    const { structuredTarget } = await read('structured-targets');
    expect(structuredTarget).toMatchObject({ sourceId: null, lastUpdatedAt: null });
  });

  it('keeps the digits of the exchange', async () => {
    const milestone = await client.get(`/predictions/milestones/${MILESTONE.id}`);
    expect(milestone.text).toContain('"details":{"week":12,"ratio":0.10000000000000000001}');
    expect((await client.get('/predictions/series')).body.data.series[0]).toMatchObject({
      feeMultiplier: 0.5,
      volume: 120_500,
    });
  });

  it('is listed by name where it has names', async () => {
    expect((await client.get('/predictions/categories')).body.data).toEqual({
      categories: { Economics: ['Fed', 'Inflation'] },
    });
    expect((await client.get('/predictions/sports')).body.data).toEqual({
      filtersBySports: {
        Football: { scopes: ['Games', 'Futures'], competitions: { NFL: { scopes: ['Games'] } } },
      },
      sportOrdering: ['Football'],
    });
  });

  it.each([
    ['listEvents', 'events?status=closed&limit=200&cursor=c', { status: 3, limit: 200, cursor: 'c' }],
    ['listEvents', 'events', { status: 0, limit: 20, cursor: '' }],
    ['listSeries', 'series?category=Economics&limit=200&cursor=c', { category: 'Economics', limit: 200, cursor: 'c' }],
    ['listSeries', 'series', { category: '', limit: 100, cursor: '' }],
    [
      'listMilestones',
      'milestones?category=A&competition=B&limit=500',
      { category: 'A', competition: 'B', limit: 500 },
    ],
    ['listMilestones', 'milestones', { category: '', competition: '', limit: 100, cursor: '' }],
    ['listStructuredTargets', 'structured-targets?type=T&competition=B&limit=2000', { type: 'T', limit: 2_000 }],
    ['listStructuredTargets', 'structured-targets', { type: '', competition: '', limit: 100, cursor: '' }],
  ] as const)('%s is asked for %s', async (method, path, expected) => {
    const requests = asked(method);
    expect((await client.get(`/predictions/${path}`)).status).toBe(200);
    expect(requests).toEqual([expect.objectContaining({ agentId, ...expected })]);
  });

  it.each(['events?status=unopened', 'events?limit=201', 'series?limit=201', 'milestones?limit=501'])(
    'is not listed with %s',
    async (path) => expectFailure(await client.get(`/predictions/${path}`), 400, 'VALIDATION_ERROR'),
  );
});
