import { eventually } from '@agent-wallet/testing';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import type { Exchange } from '../src/exchange/engine/exchange.js';
import { ExchangeWorld } from '../src/exchange/world/exchange-world.js';
import { MarketMaker, quotesAt } from '../src/exchange/world/market-maker.js';
import { seededWorld } from '../src/exchange/world/seed/seeded-world.js';
import type { Journal } from '../src/journal/journal.js';
import type { Json } from './exchange-client.js';
import { temporaryDir, World } from './world.js';

const ORIGIN_MS = Date.parse('2026-11-21T17:00:00Z');

describe('the world of the exchange', () => {
  const world = seededWorld(ORIGIN_MS);

  it('is the same whenever it is made of the same day', () => {
    expect(seededWorld(ORIGIN_MS)).toEqual(world);
    expect(seededWorld(ORIGIN_MS + 3_600_000)).toEqual(world);
    expect(seededWorld(ORIGIN_MS + 86_400_000)).not.toEqual(world);
  });

  it('names everything once and everything it speaks of', () => {
    const series = new Set(world.series.map(({ ticker }) => ticker));
    const events = new Set(world.events.map(({ ticker }) => ticker));
    const markets = new Set(world.markets.map(({ text }) => text.ticker));
    const targets = new Set(world.targets.map(({ id }) => id));
    expect([series.size, events.size, markets.size, targets.size]).toEqual(
      [world.series, world.events, world.markets, world.targets].map((list) => list.length),
    );
    expect(new Set(world.milestones.map(({ id }) => id)).size).toBe(world.milestones.length);
    for (const event of world.events) expect(series).toContain(event.seriesTicker);
    for (const { events: about } of world.milestones) for (const ticker of about) expect(events).toContain(ticker);
    for (const { text } of world.markets) {
      expect(events).toContain(text.eventTicker);
      for (const leg of text.legs ?? []) expect(markets).toContain(leg.marketTicker);
      if (text.strike?.type === 'structured') expect(targets).toContain(Object.values(text.strike.custom!)[0]);
    }
  });

  it('has something of every kind that a client may meet', () => {
    expect(new Set(world.series.map(({ category }) => category)).size).toBeGreaterThanOrEqual(3);
    expect(world.series.length).toBeGreaterThanOrEqual(10);
    expect(new Set(world.series.map(({ feeType }) => feeType)).size).toBe(3);
    expect(new Set(world.markets.map(({ text }) => text.priceStructure)).size).toBe(3);
    expect(new Set(world.markets.map(({ text }) => text.marketType)).size).toBe(2);
    expect(world.milestones.length).toBeGreaterThan(10);
    expect(world.targets.length).toBeGreaterThan(10);
  });
});

describe('the market maker', () => {
  it('bids for both sides within a dollar wherever the walk goes', () => {
    const hours = Array.from({ length: 48 }, (_, hour) => hour);
    const odd = seededWorld(ORIGIN_MS).markets.filter((market) =>
      hours.some((hour) => {
        const { yesBids, noBids } = quotesAt(market, { seed: Buffer.alloc(32, hour), timeMs: hour * 3_600_000 });
        const [yes = 0n, no = 0n] = [yesBids[0]?.[0], noBids[0]?.[0]];
        return yes <= 0n || no <= 0n || yes + no >= 1_000_000n;
      }),
    );
    expect(odd.map(({ text }) => text.ticker)).toEqual([]);
  });

  it('quotes every market in its turn, but none that was set, is not open, or while prices are frozen', () => {
    const world = new ExchangeWorld(seededWorld(ORIGIN_MS), { append: () => 0 } as unknown as Journal);
    const [set, paused, ...others] = world.seed.markets.map(({ text }) => text.ticker);
    const quoted: string[] = [];
    const exchange = {
      market: (ticker: string) => ({ status: ticker === paused ? 'inactive' : 'active' }),
      setQuotes: (ticker: string) => quoted.push(ticker),
    } as unknown as Exchange;
    const prices = { isFrozen: true };
    const clock = { nowMs: () => ORIGIN_MS };
    const maker = new MarketMaker({ exchange, world, prices, clock, seed: Buffer.alloc(32) });
    world.pin(set!);
    for (let turn = 0; turn < 200; turn += 1) maker.turn();
    expect(quoted).toEqual([]);
    prices.isFrozen = false;
    for (let turn = 0; turn < 200; turn += 1) maker.turn();
    expect(new Set(quoted)).toEqual(new Set(others));
  });
});

/** Whether a market that was open has another price. */
function differs(before: Map<string, string>, after: Map<string, string>): boolean {
  return [...after].some(([ticker, price]) => before.has(ticker) && before.get(ticker) !== price);
}

describe('the exchange in a sandbox', () => {
  const data = temporaryDir();
  let world: World;

  const markets = async (): Promise<Map<string, Json>> => {
    const { body } = await world.admin('GET', '/markets');
    return new Map((body as Json)['markets'].map((market: Json) => [market.ticker, market]));
  };

  /** Prices of the markets that are open, as far as they have a book. */
  const prices = async (): Promise<Map<string, string>> => {
    const open = [...(await markets()).values()].filter(({ status }) => status === 'open');
    return new Map(open.map(({ ticker, yesBid, yesAsk }) => [ticker, `${yesBid}/${yesAsk}`]));
  };

  const start = async (): Promise<void> => {
    world = await World.start({ SANDBOX_DATA_DIR: data.dir });
  };

  beforeAll(start);

  afterAll(async () => {
    await world.stop();
    data.remove();
  });

  it('quotes both sides of at least 120 markets from the first moment on', async () => {
    const open = [...(await markets()).values()].filter(({ status }) => status === 'open');
    expect(open.length).toBeGreaterThanOrEqual(120);
    for (const { ticker, yesBid, yesAsk } of open) {
      expect({ ticker, isQuoted: yesBid > 0 && yesBid < yesAsk && yesAsk < 100 }).toEqual({ ticker, isQuoted: true });
    }
  });

  it('walks, and stands still while prices are frozen', async () => {
    const before = await prices();
    await world.admin('POST', '/clock', { advanceSeconds: 600 });
    await eventually(async () => differs(before, await prices()), 20_000);
    await world.admin('POST', '/prices', { freeze: true });
    const frozen = await prices();
    await world.admin('POST', '/clock', { advanceSeconds: 600 });
    // Two turns of the market maker pass.
    await new Promise((resolve) => setTimeout(resolve, 600));
    expect(await prices()).toEqual(frozen);
  });

  it('restores set order books, added markets and pauses after a restart', async () => {
    const [mine] = (await prices()).keys();
    const book = { yesBids: [[11, 5]], noBids: [[22, 7]] };
    expect((await world.admin('POST', `/markets/${mine}/book`, book)).status).toBe(200);
    const added = { ticker: 'OWN-26-YES', title: 'Ours?', yesBid: 30, yesAsk: 35, size: 12.5 };
    expect((await world.admin('POST', '/markets', added)).status).toBe(200);
    const before = await markets();
    await world.stop();
    await start();
    const after = await markets();
    expect(after.get('OWN-26-YES')).toEqual(before.get('OWN-26-YES'));
    expect(after.get(mine!)).toEqual(before.get(mine!));
    expect([...after.values()].map(({ ticker, status }) => [ticker, status])).toEqual(
      [...before.values()].map(({ ticker, status }) => [ticker, status]),
    );
  });
});
