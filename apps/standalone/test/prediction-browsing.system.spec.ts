import { beforeAll, describe, expect, it } from '@jest/globals';
import type { AgentClient } from '../src/index.js';
import { type Deployment, shareDeployment } from './harness/deployment.js';
import { addMarket } from './harness/predicting.js';

let deployment: Deployment;
let agent: AgentClient;

beforeAll(async () => {
  deployment = await shareDeployment();
  agent = await deployment.agent();
});

interface Page {
  readonly cursor: string;
  readonly [list: string]: unknown;
}

/** Every entry of a list, page by page. */
async function all(path: string, list: string, limit: number): Promise<ReadonlyArray<Record<string, unknown>>> {
  const found: Array<Record<string, unknown>> = [];
  let cursor = '';
  do {
    const query = `${path}${path.includes('?') ? '&' : '?'}limit=${limit}&cursor=${encodeURIComponent(cursor)}`;
    const { status, body } = await agent.predictions.read<Page>(query);
    expect(status).toBe(200);
    const page = body.data[list] as Array<Record<string, unknown>>;
    expect(page.length).toBeLessThanOrEqual(limit);
    found.push(...page);
    cursor = body.data.cursor;
  } while (cursor !== '');
  return found;
}

const LISTS = [
  ['markets', 'markets', 'ticker', 50],
  ['events', 'events', 'eventTicker', 20],
  ['series', 'series', 'ticker', 3],
  ['milestones', 'milestones', 'id', 5],
  ['structured-targets', 'structuredTargets', 'id', 7],
] as const;

describe('what is listed', () => {
  it.each(LISTS)('%s comes whole and without repeats, however it is paged', async (path, list, id, limit) => {
    const paged = (await all(path, list, limit)).map((entry) => entry[id]);
    const whole = (await all(path, list, 200)).map((entry) => entry[id]);
    expect(new Set(paged).size).toBe(paged.length);
    expect([...paged].sort()).toEqual([...whole].sort());
    expect(paged.length).toBeGreaterThan(limit);
  });

  it('is there one by one, by the names in the lists', async () => {
    const first = async (path: string, list: string) => {
      const { body } = await agent.predictions.read<Page>(`${path}?limit=1`);
      return (body.data[list] as Array<Record<string, string>>)[0]!;
    };
    const [market, event] = [await first('markets', 'markets'), await first('events', 'events')];
    const [series, milestone] = [await first('series', 'series'), await first('milestones', 'milestones')];
    const target = await first('structured-targets', 'structuredTargets');
    const read = async (path: string) => (await agent.predictions.read(path)).body.data;
    expect(await read(`markets/${market['ticker']}`)).toMatchObject({ market: { ticker: market['ticker'] } });
    expect(await read(`markets/${market['ticker']}/orderbook`)).toMatchObject({ ticker: market['ticker'] });
    const eventTicker = event['eventTicker']!;
    expect(await read(`events/${eventTicker}`)).toMatchObject({ event: { eventTicker, markets: expect.any(Array) } });
    expect(await read(`series/${series['ticker']}`)).toEqual({ series });
    expect(await read(`milestones/${milestone['id']}`)).toEqual({ milestone });
    expect(await read(`structured-targets/${target['id']}`)).toEqual({ structuredTarget: target });
    const { categories } = (await read('categories')) as { categories: object };
    expect(Object.keys(categories).length).toBeGreaterThanOrEqual(3);
    expect(await read('sports')).toMatchObject({ sportOrdering: expect.any(Array) });
  });

  it.each(['markets/NO-SUCH', 'markets/NO-SUCH/orderbook', 'events/NO-SUCH', 'series/NO-SUCH', 'milestones/nothing'])(
    '%s is a 404',
    async (path) => {
      expect(await agent.predictions.read(path)).toMatchObject({ status: 404, body: { data: { code: 'NOT_FOUND' } } });
    },
  );

  it('is filtered', async () => {
    const ticker = await addMarket(deployment, { seriesTicker: 'FILTERED', eventTicker: 'FILTERED-1' });
    const markets = async (query: string) =>
      (await all(`markets?${query}`, 'markets', 200)).map((market) => market['ticker']);
    expect(await markets('event_ticker=FILTERED-1')).toEqual([ticker]);
    expect(await markets('series_ticker=FILTERED')).toEqual([ticker]);
    expect(await markets('event_ticker=FILTERED-1&status=settled')).toEqual([]);
    expect(await markets('event_ticker=FILTERED-1&tradeable_only=true')).toEqual([ticker]);
    const open = await all('markets?status=open', 'markets', 200);
    expect(new Set(open.map((market) => market['status']))).toEqual(new Set(['open']));
    const series = await all('series?category=Sports', 'series', 200);
    expect(series.length).toBeGreaterThan(0);
    expect(series.every((entry) => (entry['categories'] as string[]).includes('Sports'))).toBe(true);
  });

  it('has null for an empty side, and no market without offers among the tradeable', async () => {
    const ticker = await addMarket(deployment, { seriesTicker: 'EMPTY', eventTicker: 'EMPTY-1' });
    await deployment.sandbox.setBook(ticker, { yesBids: [], noBids: [] });
    const { market } = (await agent.predictions.market(ticker)).body.data;
    expect(market).toMatchObject({ yesBid: null, yesAsk: null, noBid: null, noAsk: null });
    const { markets } = (await agent.predictions.markets('?event_ticker=EMPTY-1&tradeable_only=true')).body.data;
    expect(markets).toEqual([]);
  });
});

describe('the switch of the policy', () => {
  it('closes every read and every order, with its rule', async () => {
    const closed = await deployment.agent({ SOL: 1, USDC: 50 });
    const ticker = await addMarket(deployment);
    await closed.patchPolicy({ allowPredictionMarkets: false });
    const { predictions } = closed;
    const reads = ['categories', 'sports', 'markets', `markets/${ticker}`, `markets/${ticker}/orderbook`, 'events'];
    const more = ['series', 'milestones', 'structured-targets', 'balance', 'positions', 'orders'];
    const refused = { status: 403, body: { data: { rule: 'prediction_markets_disabled' } } };
    for (const path of [...reads, ...more]) expect(await predictions.read(path)).toMatchObject(refused);
    expect(await predictions.buy({ ticker, side: 'yes', count: 1 })).toMatchObject(refused);
    expect(await predictions.sell({ ticker, side: 'yes', count: 1 })).toMatchObject(refused);
    expect(await deployment.sandbox.balanceRaw(closed.address, 'USDC')).toBe(50_000_000n);
    await closed.patchPolicy({ allowPredictionMarkets: true });
    expect((await predictions.markets()).status).toBe(200);
  });
});
