import { silent } from '@agent-wallet/platform/testing';
import { afterAll, afterEach, beforeAll, describe, expect, it } from '@jest/globals';
import { newId, systemClock } from '@agent-wallet/kernel';
import { takerFeeUsdMicros } from '@agent-wallet/kalshi';
import { openExchange, type OpenExchange } from '../src/adapters/exchange/open-exchange.js';
import type { CatalogSource, Page } from '../src/ports/catalog.js';
import type { Exchange, NewOrder } from '../src/ports/exchange.js';
import { codeOf } from './exchange-adapter.js';
import { testKey } from './kalshi-server.js';
import { openQuota, type QuotaUnderTest } from './quota-support.js';
import { SandboxExchange } from './sandbox-exchange.js';

let sandbox: SandboxExchange;
let quota: QuotaUnderTest;
/** Two copies of the service. */
let copies: OpenExchange[];
let exchange: Exchange;
let catalog: CatalogSource;
let markets = 0;

beforeAll(async () => {
  [sandbox, quota] = await Promise.all([SandboxExchange.start(), openQuota('real')]);
  copies = [1, 2].map(() =>
    openExchange({
      ...{ baseUrl: sandbox.url, wsUrl: sandbox.wsUrl, apiKeyId: testKey.id, privateKey: testKey.pem },
      ...{ database: quota.database, clock: systemClock, logger: silent },
    }),
  );
  ({ exchange, catalog } = copies[0]!);
});
afterEach(() => sandbox.disarm());
afterAll(async () => {
  await Promise.all(copies.map((one) => one.close()));
  await Promise.all([quota.close(), sandbox.stop()]);
});

/** A market of a test's own: yes is bid at 40 and asked at 42 cents, 100 contracts each. */
async function newMarket(size = 100): Promise<string> {
  markets += 1;
  await sandbox.addMarket(`KXTEST-${markets}`, size);
  return `KXTEST-${markets}`;
}

const turn = (agentId = newId()) => ({ agentId, operationId: newId(), signal: AbortSignal.timeout(60_000) });
const buyYes = (ticker: string, over: Partial<NewOrder> = {}): NewOrder => ({
  ...{ ticker, exchangeIndex: 0, side: 'bid', count: 1_000n, priceUsdMicros: 420_000n, clientOrderId: newId() },
  ...over,
});
const find = ({ ticker, clientOrderId }: NewOrder) =>
  exchange.findOrder({ ticker, clientOrderId, sinceMs: systemClock.nowMs() - 60_000 });

describe('a market', () => {
  it('is read with its book, its fees and its grid', async () => {
    const ticker = await newMarket();
    const market = (await exchange.market(ticker))!;
    expect(market).toMatchObject({ ticker, status: 'open', paused: false, result: undefined, settledAtMs: undefined });
    expect(market.priceRanges.length).toBeGreaterThan(0);
    const book = await exchange.orderbook(ticker);
    expect(book.yesBids[0]).toEqual({ priceUsdMicros: 400_000n, count: 10_000n });
    expect(book.noBids[0]).toEqual({ priceUsdMicros: 580_000n, count: 10_000n });
    expect((await exchange.feeTerms(market)).takerRatePpm).toBe(70_000n);
    expect(await exchange.market('KXNONE-1')).toBeUndefined();
    expect(await codeOf(exchange.orderbook('KXNONE-1'))).toBe('NOT_FOUND');
    expect(await exchange.status()).toEqual({ tradingActive: true });
  });
});

describe('an order', () => {
  it('is filled, found, and posted from its fills to the micro-dollar', async () => {
    const ticker = await newMarket();
    const before = await exchange.balance();
    const order = buyYes(ticker);
    const placed = await exchange.placeOrder(order, turn());
    expect(placed).toEqual({ kind: 'accepted', orderId: expect.any(String), filled: 1_000n });
    const { orderId } = placed as { orderId: string };
    const fills = await exchange.fills(orderId);
    expect(fills.reduce((sum, { count }) => sum + count, 0n)).toBe(1_000n);
    expect(fills[0]).toMatchObject({ ticker, side: 'yes', yesPriceUsdMicros: 420_000n, noPriceUsdMicros: 580_000n });
    const paid = fills.reduce((sum, f) => sum + (f.yesPriceUsdMicros * f.count) / 100n + f.feeUsdMicros, 0n);
    expect(before.cashUsdMicros - (await exchange.balance()).cashUsdMicros).toBe(paid);
    const terms = await exchange.feeTerms((await exchange.market(ticker))!);
    const fee = takerFeeUsdMicros(terms, { priceUsdMicros: 420_000n, count: 1_000n });
    expect(fills.reduce((sum, { feeUsdMicros }) => sum + feeUsdMicros, 0n) - fee).toBeLessThanOrEqual(20_000n);
    expect(await find(order)).toMatchObject({ orderId, ticker, count: 1_000n, filled: 1_000n, status: 'executed' });
    expect((await exchange.positions()).get(ticker)).toBe(1_000n);
    expect(Math.abs((await exchange.asOfMs()) - systemClock.nowMs())).toBeLessThan(600_000);
    expect(await exchange.placeOrder(order, turn())).toEqual({ kind: 'exists' });
  });

  it('is filled as far as there are sellers, and the rest is cancelled', async () => {
    const order = buyYes(await newMarket(), { count: 20_000n });
    expect(await exchange.placeOrder(order, turn())).toMatchObject({ kind: 'accepted', filled: 10_000n });
    expect(await find(order)).toMatchObject({ status: 'canceled', count: 20_000n, filled: 10_000n });
  });

  it('in a market that is paused or closed is rejected by name', async () => {
    const ticker = await newMarket();
    await sandbox.admin('POST', `/markets/${ticker}/status`, { status: 'paused' });
    expect(await exchange.market(ticker)).toMatchObject({ status: 'open', paused: true });
    expect(await exchange.placeOrder(buyYes(ticker), turn())).toMatchObject({ kind: 'rejected', status: 409 });
    await sandbox.admin('POST', `/markets/${ticker}/status`, { status: 'closed' });
    // Another copy has not looked at it yet.
    expect(await copies[1]!.exchange.market(ticker)).toMatchObject({ status: 'closed' });
    const code = 'MARKET_INACTIVE';
    expect(await exchange.placeOrder(buyYes(ticker), turn())).toEqual({ kind: 'rejected', status: 409, code });
  });

  it.each(['errorAfterAccept', 'dropAfterAccept'])('after %s is unknown, found, and not sent twice', async (fault) => {
    const order = buyYes(await newMarket());
    await sandbox.arm(fault);
    expect(await exchange.placeOrder(order, turn())).toMatchObject({ kind: 'unknown' });
    expect(await find(order)).toMatchObject({ filled: 1_000n });
    expect(await exchange.placeOrder(order, turn())).toEqual({ kind: 'exists' });
  });

  it('that the exchange turns away for a while is taken in the end', async () => {
    await sandbox.arm('error429', { times: 3 });
    expect(await exchange.placeOrder(buyYes(await newMarket()), turn())).toMatchObject({ kind: 'accepted' });
  });

  it('that is refused says so', async () => {
    const ticker = await newMarket();
    await sandbox.arm('rejectOrder');
    expect(await exchange.placeOrder(buyYes(ticker), turn())).toMatchObject({ kind: 'rejected' });
    expect(await exchange.placeOrder(buyYes(ticker, { priceUsdMicros: 420_100n }), turn())).toMatchObject({
      ...{ kind: 'rejected', status: 400 },
    });
  });
});

describe('a settlement', () => {
  it.each([
    ['yes', undefined, 1_000_000n],
    ['no', undefined, 0n],
    ['scalar', 37, 370_000n],
  ])('as %s pays what the market is worth', async (result, valueCents, value) => {
    const ticker = await newMarket();
    await exchange.placeOrder(buyYes(ticker), turn());
    const sinceMs = systemClock.nowMs() - 60_000;
    await sandbox.admin('POST', `/markets/${ticker}/settle`, { result, ...(valueCents ? { valueCents } : {}) });
    expect(await exchange.market(ticker)).toMatchObject({
      ...{ status: 'settled', result, settlementValueUsdMicros: value, settledAtMs: expect.any(Number) },
    });
    const found = (await exchange.settlements(sinceMs)).filter((one) => one.ticker === ticker);
    expect(found).toMatchObject([{ result, yesCount: 1_000n, noCount: 0n, revenueUsdMicros: value * 10n }]);
    expect((await exchange.positions()).has(ticker)).toBe(false);
  });

  it('of a market that is called off has a value', async () => {
    const ticker = await newMarket();
    await sandbox.admin('POST', `/markets/${ticker}/settle`, { result: 'void', valueCents: 41 });
    expect(await exchange.market(ticker)).toMatchObject({ status: 'settled', settlementValueUsdMicros: 410_000n });
  });
});

describe('the stream', () => {
  it('hints when a market pays', async () => {
    const ticker = await newMarket();
    const hinted = new Promise<void>((resolve) => copies[1]!.exchange.onHint(resolve));
    await sandbox.admin('POST', `/markets/${ticker}/settle`, { result: 'yes' });
    await hinted;
  });
});

describe('the catalog', () => {
  /** Everything, page by page. */
  async function all<T>(page: (cursor: string) => Promise<Page<T>>): Promise<T[]> {
    const found: T[] = [];
    for (let cursor = ''; ;) {
      const { items, cursor: next } = await page(cursor);
      found.push(...items);
      if (next === '') return found;
      cursor = next;
    }
  }

  it('is read whole: every market, event, series, milestone and target, and each by its name', async () => {
    const any = { status: undefined, eventTicker: '', seriesTicker: '' };
    const found = await all((cursor) => catalog.markets({ ...any, limit: 50, cursor }));
    expect(found.length).toBeGreaterThanOrEqual(120);
    expect(new Set(found.map(({ ticker }) => ticker)).size).toBe(found.length);
    const events = await all((cursor) => catalog.events({ status: undefined, limit: 7, cursor }));
    const event = (await catalog.event(events[0]!.eventTicker))!;
    expect(event.markets.length).toBeGreaterThan(0);
    const series = await catalog.allSeries('');
    expect(series.length).toBeGreaterThanOrEqual(10);
    expect(await catalog.series(series[0]!.ticker)).toMatchObject({ ticker: series[0]!.ticker });
    const milestones = await all((cursor) => catalog.milestones({ category: '', competition: '', limit: 3, cursor }));
    expect(await catalog.milestone(milestones[0]!.id)).toMatchObject({ id: milestones[0]!.id });
    const targets = await all((cursor) => catalog.structuredTargets({ type: '', competition: '', limit: 3, cursor }));
    expect(await catalog.structuredTarget(targets[0]!.id)).toMatchObject({ id: targets[0]!.id });
    expect((await catalog.categories()).length).toBeGreaterThanOrEqual(3);
    expect((await catalog.sports()).sports.length).toBeGreaterThan(0);
    expect(await catalog.market(found[0]!.ticker)).toMatchObject({ ticker: found[0]!.ticker });
    expect(await catalog.orderbook(found[0]!.ticker)).toBeDefined();
    const names = [...found.slice(0, 99).map(({ ticker }) => ticker), 'KXNONE-1'];
    expect((await catalog.marketsNamed(names)).map(({ ticker }) => ticker).sort()).toEqual(names.slice(0, 99).sort());
  });

  it('names the cursor that leads nowhere', async () => {
    const question = { status: undefined, eventTicker: '', seriesTicker: '', limit: 5, cursor: 'nowhere' };
    await expect(catalog.markets(question)).rejects.toMatchObject({
      code: 'VALIDATION_ERROR',
      details: [{ field: 'cursor' }],
    });
    expect(await catalog.market('KXNONE-1')).toBeUndefined();
    expect(await catalog.milestone('none')).toBeUndefined();
  });
});

describe('orders of many agents through two copies, faster than the quota', () => {
  it('are all taken, and the exchange never says that it is asked too often', async () => {
    await quota.database.pool.query(`update exchange_buckets set paused_until = '-infinity'`);
    const ticker = await newMarket(200);
    const placed = await Promise.all(
      Array.from({ length: 120 }, (_, i) =>
        copies[i % 2]!.exchange.placeOrder(buyYes(ticker, { count: 100n }), turn(newId())),
      ),
    );
    expect(placed.every((one) => one.kind === 'accepted' && one.filled === 100n)).toBe(true);
    const { rows } = await quota.database.pool.query(
      `select bucket from exchange_buckets where paused_until > '-infinity'`,
    );
    expect(rows).toEqual([]);
  });
});
