import { beforeEach, describe, expect, it } from '@jest/globals';
import { AppError, parseUsdPrice } from '@agent-wallet/kernel';
import { type AcceptedPrices, type AcceptedPriceStore, acceptedPrices } from './accepted-prices.js';
import { FakeClock } from './testing/fake-clock.js';
import { MemoryPriceStore } from './testing/memory-price-store.js';
import type { PriceResult, PriceUnavailable, UsdPrices } from './usd-prices.js';

const SOL = 'So11111111111111111111111111111111111111112';

/** Fresh prices that change at set times, and are kept for five seconds as the reader keeps them. */
class Market implements UsdPrices {
  readonly readings: number[] = [];
  #course: { fromMs: number; answer: string; fallenFrom: string | undefined }[] = [];
  #kept: { readAtMs: number; answer: PriceResult } | undefined;

  constructor(private readonly clock: FakeClock) {}

  /** From `inMs` on, the market answers a price, or why there is none. */
  set(answer: string, inMs = 0, fallenFrom?: string): void {
    this.#course.push({ fromMs: this.clock.nowMs() + inMs, answer, fallenFrom });
    if (inMs === 0) this.#kept = undefined;
  }

  async prices(mints: readonly string[], { readAfterMs = -Infinity }: { readAfterMs?: number } = {}) {
    const nowMs = this.clock.nowMs();
    if (!this.#kept || this.#kept.readAtMs <= readAfterMs || nowMs > this.#kept.readAtMs + 5_000) {
      this.readings.push(nowMs);
      this.#kept = { readAtMs: nowMs, answer: this.#answerAt(nowMs) };
    }
    const { answer } = this.#kept;
    return new Map(mints.map((mint) => [mint, answer]));
  }

  #answerAt(nowMs: number): PriceResult {
    const { answer, fallenFrom } = this.#course.filter(({ fromMs }) => fromMs <= nowMs).at(-1)!;
    if (/^[a-z_]+$/.test(answer)) return { unavailable: answer as PriceUnavailable };
    const known = { decimals: 9, liquidityUsd: null, pricedAtMs: nowMs, readAtMs: nowMs };
    return { price: parseUsdPrice(answer), ...(fallenFrom && { fallenFrom: parseUsdPrice(fallenFrom) }), ...known };
  }
}

let clock: FakeClock;
let market: Market;
let paused: number[];
let answer: Ask;

/** Asks for SOL, and for other mints with it; answers that of SOL. */
type Ask = (others?: readonly string[]) => Promise<string>;

function open(store: AcceptedPriceStore = new MemoryPriceStore(clock)): Ask {
  const ask = openPrices(store);
  return async (others = []) => {
    const found = (await ask.prices([SOL, ...others])).get(SOL)!;
    return 'unavailable' in found ? found.unavailable : `${found.price.digits}e-${found.price.scale}`;
  };
}

function openPrices(store: AcceptedPriceStore): AcceptedPrices {
  return acceptedPrices({
    counting: market,
    clock,
    store,
    pause: async (durationMs) => {
      paused.push(durationMs);
      clock.pass(durationMs);
    },
  });
}

beforeEach(() => {
  clock = new FakeClock();
  market = new Market(clock);
  paused = [];
  answer = open();
});

describe('accepted prices', () => {
  it('begin with the first price that is known', async () => {
    market.set('unknown');
    expect(await answer()).toBe('unknown');
    market.set('stale');
    expect(await answer()).toBe('stale');
    market.set('150');
    expect(await answer()).toBe('150e-0');
    expect(paused).toEqual([]);
  });

  it.each(['195', '105'])('follow a move by exactly 30 %% (150 → %s) at once', async (moved) => {
    market.set('150');
    await answer();
    market.set(moved);
    expect(await answer()).toBe(`${moved}e-0`);
    expect(paused).toEqual([]);
  });

  it.each(['195.01', '104.99', '1500', '0.15'])(
    'follow a jump (150 → %s) after a second reading a second later',
    async (moved) => {
      market.set('150');
      await answer();
      market.set(moved);
      expect(await answer()).toBe(
        moved.includes('.') ? `${moved.replace(/^0?\./, '').replace('.', '')}e-2` : `${moved}e-0`,
      );
      expect(paused).toEqual([1_000]);
      expect(market.readings.slice(-2)).toEqual([clock.nowMs() - 1_000, clock.nowMs()]);
      expect(await answer()).not.toBe('jump');
      expect(paused).toEqual([1_000]);
    },
  );

  it.each([
    ['210', '210e-0'],
    ['210.01', 'jump'],
    ['190', '190e-0'],
    // 189 lies within 30 % of the last accepted price: nothing to doubt any more.
    ['189', '189e-0'],
    ['400', 'jump'],
  ])('take a second reading of %s for one of 200 (after 150) as %s', async (second, expected) => {
    market.set('150');
    await answer();
    market.set('200');
    market.set(second, 500);
    expect(await answer()).toBe(expected);
  });

  it('forget a spike that is gone at the second reading', async () => {
    market.set('150');
    await answer();
    market.set('1500');
    market.set('151', 500);
    expect(await answer()).toBe('151e-0');
    market.set('1500');
    market.set('152', 500);
    expect(await answer()).toBe('152e-0');
  });

  it('keep refusing while every reading is another, and follow once two agree', async () => {
    market.set('150');
    await answer();
    for (const [first, second] of [
      ['300', '600'],
      ['1200', '2400'],
    ] as const) {
      market.set(first);
      market.set(second, 500);
      expect(await answer()).toBe('jump');
    }
    clock.pass(1_000);
    market.set('2450');
    expect(await answer()).toBe('2450e-0');
    expect(paused).toEqual([1_000, 1_000]);
  });

  it('take a later reading as the second one when there was none in time', async () => {
    market.set('150');
    await answer();
    market.set('300');
    market.set('unknown', 500);
    expect(await answer()).toBe('unknown');
    market.set('310');
    expect(await answer()).toBe('310e-0');
    expect(paused).toEqual([1_000]);
  });

  it('share one second reading among all who meet the jump', async () => {
    market.set('150');
    await answer();
    market.set('300');
    expect(await Promise.all([answer(), answer(), answer()])).toEqual(['300e-0', '300e-0', '300e-0']);
    expect(paused).toEqual([1_000]);
  });

  it.each([500, 3_600_000])(
    'wait no longer for the second reading when the clock is set back by %i ms',
    async (backMs) => {
      market.set('150');
      await answer();
      market.set('300');
      const prices = market.prices.bind(market);
      market.prices = async (mints, options) => {
        const read = await prices(mints, options);
        if (options?.readAfterMs === undefined) clock.pass(-backMs);
        return read;
      };
      market.set('300', -backMs);
      await answer();
      expect(paused).toEqual([1_000]);
      market.prices = prices;
      clock.pass(1_000);
      expect(await answer()).toBe('300e-0');
    },
  );

  it('are an error when the second reading is one, and can be asked again', async () => {
    market.set('150');
    await answer();
    market.set('300');
    const prices = market.prices.bind(market);
    market.prices = async (mints, options) => {
      if (options?.readAfterMs !== undefined) throw new AppError('UPSTREAM_TIMEOUT');
      return prices(mints, options);
    };
    await expect(answer()).rejects.toMatchObject({ code: 'UPSTREAM_TIMEOUT' });
    market.prices = prices;
    expect(await answer()).toBe('300e-0');
  });
});

describe('a store of accepted prices', () => {
  it('makes a jump while the process was down a jump', async () => {
    const store = new MemoryPriceStore(clock, [[SOL, parseUsdPrice('150')]]);
    answer = open(store);
    market.set('300');
    expect(await answer()).toBe('300e-0');
    expect(paused).toEqual([1_000]);
    expect(store.saved).toEqual(['300e-0']);
  });

  it('is written when the price has fallen by more than a percent, and at each new high of the hour', async () => {
    const store = new MemoryPriceStore(clock);
    answer = open(store);
    for (const price of ['102', '101', '100.98', '100.97', '101.5', '102.01', '102.01']) {
      market.set(price);
      await answer();
    }
    expect(store.saved).toEqual(['102e-0', '10097e-2', '10201e-2']);
    clock.pass(3_600_000);
    await answer();
    expect(store.saved.slice(3)).toEqual(['10201e-2']);
  });

  it('tells every replica what another one has accepted meanwhile', async () => {
    const store = new MemoryPriceStore(clock);
    const [one, other] = [open(store), open(store)];
    market.set('100');
    expect([await one(), await other()]).toEqual(['100e-0', '100e-0']);
    for (const price of ['120', '150', '190', '200']) {
      clock.pass(1_000);
      market.set(price);
      await one();
    }
    expect(paused).toEqual([]);
    market.set('100');
    expect(await other()).toBe('100e-0');
    expect(paused).toEqual([1_000]); // a fall from 200, and not the price it knew
  });

  it('tells what was forgotten because too many others were asked for', async () => {
    const load = async (mints: readonly string[]) =>
      new Map(
        mints.includes(SOL) ? [[SOL, { last: parseUsdPrice('100'), highest: parseUsdPrice('100') }] as const] : [],
      );
    answer = open({ load, save: async () => {} });
    const others = Array.from({ length: 25_000 }, (_, i) => `mint ${i}`);
    market.set('100');
    await answer();
    await answer(others);
    market.set('200');
    expect(await answer()).toBe('200e-0');
    expect(paused).toEqual([1_000]);
  });

  it('is asked once for all who ask at the same time', async () => {
    const store = new MemoryPriceStore(clock, [[SOL, parseUsdPrice('100')]]);
    let loads = 0;
    const counting: AcceptedPriceStore = {
      save: (mint, price) => store.save(mint, price),
      load: (mints) => {
        loads += 1;
        return store.load(mints);
      },
    };
    answer = open(counting);
    market.set('100');
    expect(await Promise.all(Array.from({ length: 20 }, () => answer()))).toEqual(Array(20).fill('100e-0'));
    expect(loads).toBe(1);
  });

  it('that fails makes the answer fail, and is written by the next', async () => {
    const store = new MemoryPriceStore(clock);
    let isDown = true;
    const save: AcceptedPriceStore['save'] = async (mint, price) => {
      if (isDown) throw new AppError('SERVICE_UNAVAILABLE');
      await store.save(mint, price);
    };
    answer = open({ load: (mints) => store.load(mints), save });
    market.set('100');
    await expect(answer()).rejects.toMatchObject({ code: 'SERVICE_UNAVAILABLE' });
    isDown = false;
    expect(await answer()).toBe('100e-0');
    expect(store.saved).toEqual(['100e-0']);
  });
});

describe('the highest price of a day', () => {
  const HOUR_MS = 3_600_000;
  let store: MemoryPriceStore;
  let prices: AcceptedPrices;

  beforeEach(() => {
    store = new MemoryPriceStore(clock);
    prices = openPrices(store);
  });

  async function highest(): Promise<number> {
    const found = (await prices.prices([SOL])).get(SOL)!;
    if ('unavailable' in found) throw new Error(found.unavailable);
    return Number(found.highest.digits) / 10 ** found.highest.scale;
  }

  async function highestAt(price: string): Promise<number> {
    market.set(price);
    return highest();
  }

  it('is the price itself while it rises', async () => {
    for (const price of ['100', '100.5', '120', '121.25']) expect(await highestAt(price)).toBe(Number(price));
  });

  it('stays where the price was, however fast or slowly it falls', async () => {
    await highestAt('150');
    expect(await highestAt('0.15')).toBe(150);
    prices = openPrices(store);
    let price = 0.15;
    for (let step = 0; step < 100; step += 1) {
      clock.pass(10_000);
      price *= 0.9;
      expect(await highestAt(price.toFixed(12))).toBe(150);
    }
  });

  it('counts for 24 hours, and for one more at most', async () => {
    await highestAt('150');
    market.set('110');
    clock.pass(24 * HOUR_MS - 1);
    expect(await highest()).toBe(150);
    clock.pass(HOUR_MS + 1);
    expect(await highestAt('109')).toBe(110);
  });

  it('is at least what the price API says of 24 hours ago, and forgotten as soon as it says so no more', async () => {
    market.set('0.001', 0, '1');
    expect(await highest()).toBe(1);
    market.set('0.001', 0, '0.0005');
    expect(await highest()).toBe(0.001);
  });

  it.each([
    ['unknown', false, true],
    ['illiquid', false, true],
    ['stale', false, false],
    ['jump', false, false],
    ['oracle_missing', false, false],
    ['unknown', true, false],
    ['illiquid', true, false],
  ])('a token whose price is %s, priced before: %s, has no market: %s', async (unavailable, wasPriced, hasNoMarket) => {
    if (wasPriced) await highestAt('5');
    market.set(unavailable);
    expect((await prices.prices([SOL])).get(SOL)).toEqual({ unavailable, hasNoMarket });
    clock.pass(25 * HOUR_MS);
    market.set(unavailable);
    const later = unavailable === 'unknown' || unavailable === 'illiquid';
    expect((await prices.prices([SOL])).get(SOL)).toEqual({ unavailable, hasNoMarket: later });
  });

  it('is known to a replica, and after a restart', async () => {
    await highestAt('150');
    const other = openPrices(store);
    market.set('120');
    const found = (await other.prices([SOL])).get(SOL);
    expect(found).toMatchObject({ price: { digits: 120n }, highest: { digits: 150n } });
  });
});
