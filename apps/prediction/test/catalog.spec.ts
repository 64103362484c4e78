import { beforeEach, describe, expect, it } from '@jest/globals';
import { AppError, newId } from '@agent-wallet/kernel';
import { type policyV1, predictionV1 } from '@agent-wallet/contracts';
import { KalshiCatalog } from '../src/adapters/exchange/kalshi-catalog.js';
import type { ReadQuery } from '../src/adapters/exchange/kalshi-reader.js';
import { Catalog } from '../src/application/catalog/catalog.js';
import { catalogService } from '../src/grpc/catalog-service.js';
import { codeOf } from './exchange-adapter.js';
import { marketJson } from './kalshi-server.js';

type Answers = (path: string, query: URLSearchParams) => unknown;

let nowMs: number;
let asked: string[];
let answers: Answers;
let isOn: boolean;
let controller: ReturnType<typeof catalogService>;
let source: KalshiCatalog;
const agentId = newId();

beforeEach(() => {
  nowMs = 1_000_000;
  asked = [];
  isOn = true;
  answers = () => undefined;
  const find = async <T>({ path, query, shape }: ReadQuery<T>): Promise<T | undefined> => {
    asked.push(query && query.size > 0 ? `${path}?${query.toString()}` : path);
    const answer = answers(path, query ?? new URLSearchParams());
    if (answer instanceof AppError) throw answer;
    if (answer === undefined) return undefined;
    const read = shape.safeParse(answer);
    if (!read.success) throw read.error;
    return read.data;
  };
  const ask = async <T>(question: ReadQuery<T>) => (await find(question)) as T;
  source = new KalshiCatalog({ reader: { find, ask }, clock: { nowMs: () => nowMs } });
  const getPolicy = async (request: policyV1.GetPolicyRequest) => {
    expect(request).toEqual({ agentId });
    return { policy: { allowPredictionMarkets: isOn } as policyV1.Policy };
  };
  controller = catalogService(new Catalog(source, { getPolicy }));
});

const milestone = async (milestoneId: string) => controller.getMilestone({ agentId, milestoneId });
const market = async (ticker: string) => controller.getMarket({ agentId, ticker });
const page = (tickers: readonly string[], cursor = '', over: object = {}) => ({
  markets: tickers.map((ticker) => marketJson(ticker, over)),
  cursor,
});
const list = async (over: Partial<predictionV1.ListMarketsRequest> = {}) =>
  controller.listMarkets({
    ...{ agentId, status: predictionV1.MarketStatus.MARKET_STATUS_UNSPECIFIED, eventTicker: '', seriesTicker: '' },
    ...{ tradeableOnly: false, limit: 50, cursor: '', ...over },
  });
const refused = (code: 'UPSTREAM_ERROR' | 'VALIDATION_ERROR') => new AppError(code);

describe('200 agents who ask for the same page at once', () => {
  it('cost the exchange one call, and one more once it is a second old', async () => {
    answers = () => page(['A', 'B']);
    const pages = await Promise.all(Array.from({ length: 200 }, () => list()));
    expect(pages.every(({ markets }) => markets.length === 2)).toBe(true);
    expect(asked).toEqual(['/markets?mve_filter=exclude&limit=50']);
    nowMs += 999;
    await list();
    expect(asked).toHaveLength(1);
    nowMs += 1;
    await Promise.all(Array.from({ length: 200 }, () => list()));
    expect(asked).toHaveLength(2);
  });

  it('share a refusal, too, and the next asks again', async () => {
    answers = () => refused('UPSTREAM_ERROR');
    const codes = await Promise.all(Array.from({ length: 200 }, () => codeOf(list())));
    expect(new Set(codes)).toEqual(new Set(['UPSTREAM_ERROR']));
    expect(asked).toHaveLength(1);
    answers = () => page(['A']);
    expect((await list()).markets).toHaveLength(1);
  });
});

describe('an exchange that cannot be asked', () => {
  it('is answered for from memory for five minutes, asked about once a second', async () => {
    answers = () => ({ market: marketJson('A') });
    await market('A');
    answers = () => refused('UPSTREAM_ERROR');
    nowMs += 1_000;
    for (let i = 0; i < 50; i += 1) expect((await market('A')).market?.ticker).toBe('A');
    expect(asked).toHaveLength(2);
    nowMs += 299_000;
    expect((await market('A')).market?.ticker).toBe('A');
    nowMs += 1_001;
    expect(await codeOf(market('A'))).toBe('UPSTREAM_ERROR');
    answers = () => ({ market: marketJson('A', { title: 'Back' }) });
    expect((await market('A')).market?.title).toBe('Back');
  });

  it('says nothing about what it refuses', async () => {
    answers = () => page(['A'], 'next');
    await list({ cursor: 'c' });
    nowMs += 1_000;
    answers = () => refused('VALIDATION_ERROR');
    expect(await codeOf(list({ cursor: 'c' }))).toBe('VALIDATION_ERROR');
  });
});

describe('what is not there', () => {
  it('is not found, is not asked for at once again, and a name that cannot be is never asked for', async () => {
    expect(await codeOf(market('A'))).toBe('NOT_FOUND');
    expect(await codeOf(market('A'))).toBe('NOT_FOUND');
    expect(asked).toEqual(['/markets/A']);
    for (const name of ['', '..', 'a/b', 'A?x=1', 'Ä']) {
      expect(await codeOf(market(name))).toBe('NOT_FOUND');
      expect(await codeOf(milestone(name))).toBe('NOT_FOUND');
    }
    expect(asked).toHaveLength(1);
  });
});

describe('the switch of the policy', () => {
  it('refuses every read, regardless of the exchange’s response', async () => {
    isOn = false;
    answers = () => refused('UPSTREAM_ERROR');
    const page = { agentId, limit: 1, cursor: '' };
    const reads = [
      controller.listCategories({ agentId }),
      controller.listSports({ agentId }),
      list(),
      list({ tradeableOnly: true }),
      market('A'),
      controller.getOrderbook({ agentId, ticker: 'A', depth: 0 }),
      controller.listEvents({ ...page, status: predictionV1.MarketStatus.MARKET_STATUS_OPEN }),
      controller.getEvent({ agentId, eventTicker: 'E' }),
      controller.listSeries({ ...page, category: '' }),
      controller.getSeries({ agentId, seriesTicker: 'S' }),
      controller.listMilestones({ ...page, category: '', competition: '' }),
      controller.getMilestone({ agentId, milestoneId: 'm' }),
      controller.listStructuredTargets({ ...page, type: '', competition: '' }),
      controller.getStructuredTarget({ agentId, structuredTargetId: 't' }),
    ];
    for (const read of reads) {
      await expect(read).rejects.toMatchObject({
        code: 'POLICY_VIOLATION',
        data: { rule: 'prediction_markets_disabled', suggestion: 'Ask the owner to switch on allowPredictionMarkets.' },
      });
    }
  });

  it('is asked for each read, so that it counts at once', async () => {
    answers = () => ({ market: marketJson('A') });
    await market('A');
    isOn = false;
    expect(await codeOf(market('A'))).toBe('POLICY_VIOLATION');
  });
});

describe('a market', () => {
  it('has its details when read alone, and none in a list', async () => {
    answers = (path) =>
      path === '/markets' ? page(['A'], 'next') : { market: marketJson('A', { status: 'inactive' }) };
    const one = (await market('A')).market!;
    expect(one).toMatchObject({
      ...{ ticker: 'A', status: predictionV1.MarketStatus.MARKET_STATUS_OPEN, paused: true },
      ...{ yesBidUsdMicros: 420_000n, yesAskUsdMicros: 440_000n, volume24hHundredths: 100n },
      details: { volumeHundredths: 1_000n, result: '', settlementTimerSeconds: 60, rulesPrimary: 'Rules.' },
    });
    const found = await list({ status: predictionV1.MarketStatus.MARKET_STATUS_OPEN, seriesTicker: 'S', cursor: 'c' });
    expect(found).toMatchObject({ markets: [{ ticker: 'A', details: undefined }], cursor: 'next' });
    expect(asked.at(-1)).toBe('/markets?status=open&series_ticker=S&limit=50&cursor=c');
    const answer = predictionV1.ListMarketsResponse.decode(predictionV1.ListMarketsResponse.encode(found).finish());
    expect(answer.markets[0]?.yesBidUsdMicros).toBe(420_000n);
  });

  it('of a combo is listed under its own event and series alone', async () => {
    answers = () => page(['A'], '');
    await list({ eventTicker: 'KXMVECOMBO-S1' });
    expect(asked.at(-1)).toBe('/markets?event_ticker=KXMVECOMBO-S1&limit=50');
    await list({ seriesTicker: 'KXMVECOMBO' });
    expect(asked.at(-1)).toBe('/markets?series_ticker=KXMVECOMBO&limit=50');
  });

  it('without quotes is left out of tradeable lists, and the page is filled from the next', async () => {
    const empty = { yes_bid_dollars: '0.0000', yes_ask_dollars: '1.0000' };
    answers = (_, query) => {
      if (!query.has('cursor')) return { markets: [marketJson('A'), marketJson('B', empty)], cursor: '1' };
      if (query.get('cursor') === '1') return { markets: [marketJson('C', { status: 'inactive' })], cursor: '2' };
      return page(['D'], '3');
    };
    const found = await list({ tradeableOnly: true, limit: 2 });
    expect([found.markets.map(({ ticker }) => ticker), found.cursor]).toEqual([['A', 'D'], '3']);
    expect(asked.map((call) => /limit=(\d+)/.exec(call)?.[1])).toEqual(['2', '1', '1']);
    const closed = await list({ tradeableOnly: true, status: predictionV1.MarketStatus.MARKET_STATUS_CLOSED });
    expect(closed).toEqual({ markets: [], cursor: '' });
  });

  it('has a book, best last, as deep as is asked, in one call', async () => {
    const orderbook_fp = {
      yes_dollars: [
        ['0.4000', '1.00'],
        ['0.4200', '2.00'],
      ],
      no_dollars: [['0.5500', '3.00']],
    };
    answers = () => ({ orderbook_fp });
    const book = await controller.getOrderbook({ agentId, ticker: 'A', depth: 0 });
    expect(book.orderbook?.yes.map(({ priceUsdMicros }) => priceUsdMicros)).toEqual([400_000n, 420_000n]);
    const top = await controller.getOrderbook({ agentId, ticker: 'A', depth: 1 });
    expect(top.orderbook).toEqual({
      ticker: 'A',
      yes: [{ priceUsdMicros: 420_000n, countHundredths: 200n }],
      no: [{ priceUsdMicros: 550_000n, countHundredths: 300n }],
    });
    expect(asked).toEqual(['/markets/A/orderbook']);
  });
});

describe('series', () => {
  it('have pages of our own, in order of their tickers', async () => {
    const one = (ticker: string) => ({ ticker, fee_type: 'quadratic', fee_multiplier: 1 });
    answers = () => ({ series: ['C', 'A', 'D', 'B'].map(one) });
    const pageOf = async (cursor: string) => {
      const { series, cursor: next } = await controller.listSeries({ agentId, category: 'Sports', limit: 2, cursor });
      return [series.map(({ ticker }) => ticker), next];
    };
    const [first, next] = await pageOf('');
    expect(first).toEqual(['A', 'B']);
    expect(await pageOf(String(next))).toEqual([['C', 'D'], '']);
    for (const bad of ['B', 'nonsense', `${String(next)}=`, Buffer.from('B').toString('base64url')]) {
      await expect(pageOf(bad)).rejects.toMatchObject({ code: 'VALIDATION_ERROR' });
    }
    expect(asked).toEqual(['/series?category=Sports&include_volume=true']);
  });
});

describe('a question out of bounds', () => {
  it.each([
    [() => list({ limit: 0 }), 'limit'],
    [() => list({ limit: 1_001 }), 'limit'],
    [() => controller.listSeries({ agentId, category: '', limit: 201, cursor: '' }), 'limit'],
    [() => list({ cursor: 'x'.repeat(2_001) }), 'cursor'],
    [() => controller.getOrderbook({ agentId, ticker: 'A', depth: 101 }), 'depth'],
    [() => controller.getMarket({ agentId: 'me', ticker: 'A' }), 'agentId'],
  ])('%# names the field', async (ask, field) => {
    await expect(ask()).rejects.toMatchObject({ code: 'VALIDATION_ERROR', details: [{ field }] });
    expect(asked).toEqual([]);
  });
});
