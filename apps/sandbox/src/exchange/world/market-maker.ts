import type { Clock } from '@agent-wallet/kernel';
import { walk } from '../../market/price-walk.js';
import type { Exchange, Level, Quotes } from '../engine/exchange.js';
import type { ExchangeWorld } from './exchange-world.js';
import type { MarketRecord } from './records.js';
import { chance } from './seed/seed-builder.js';

const LEVELS = 5;
/** How far a market's middle walks from where it began, in cents. */
const WALK_CENTS = 5;
const CENT_MICROS = 10_000n;
const DOLLAR_MICROS = 1_000_000n;
/** Between the levels of finer grids. */
const HALF_CENT_MICROS = 5_000n;
/** A market's quotes stand still this long. */
const STILL_MS = 15_000;
const TURN_MS = 250;
/** Every market has its turn in this time. */
const ROUND_MS = 20_000;

interface MakerContext {
  readonly exchange: Exchange;
  readonly world: ExchangeWorld;
  readonly prices: { readonly isFrozen: boolean };
  readonly seed: Buffer;
  readonly clock: Clock;
}

/**
 * Quotes both sides of the world's markets around a walk that is a pure function of seed, market and time. Refills what
 * was bought, a few markets a turn. Leaves order books alone that an admin has set, and all of them while prices are
 * frozen.
 */
export class MarketMaker {
  private readonly markets: readonly MarketRecord[];
  private timer: NodeJS.Timeout | undefined;
  private next = 0;

  constructor(private readonly context: MakerContext) {
    this.markets = context.world.seed.markets.filter(({ terms }) => terms.fairCents !== undefined);
  }

  start(): void {
    this.timer = setInterval(() => this.turn(), TURN_MS).unref();
  }

  stop(): void {
    clearInterval(this.timer);
  }

  /** Quotes the markets whose turn it is. */
  turn(): void {
    const { exchange, world, prices, clock, seed } = this.context;
    if (prices.isFrozen) return;
    const count = Math.ceil((this.markets.length * TURN_MS) / ROUND_MS);
    for (let i = 0; i < count; i += 1) {
      const market = this.markets[this.next]!;
      this.next = (this.next + 1) % this.markets.length;
      const { ticker } = market.text;
      if (world.isPinned(ticker) || exchange.market(ticker)?.status !== 'active') continue;
      exchange.setQuotes(ticker, quotesAt(market, { seed, timeMs: clock.nowMs() }), { isPassing: true });
    }
  }
}

/** What the market maker bids for both sides; without a time, what it begins with. */
export function quotesAt({ text, terms }: MarketRecord, at?: { seed: Buffer; timeMs: number }): Quotes {
  const unit = text.priceStructure === 'deci_cent' ? HALF_CENT_MICROS : CENT_MICROS;
  const drift = at ? walk(at.seed, text.ticker, Math.floor(at.timeMs / STILL_MS) * STILL_MS) * WALK_CENTS : 0;
  // However far it walks, both sides can be bid for.
  const cents = Math.min(Math.max(terms.fairCents! + drift, 2), 98);
  const middle = BigInt(Math.round((cents * Number(CENT_MICROS)) / Number(unit))) * unit;
  return {
    yesBids: bids(middle, unit, `${text.ticker}/yes`),
    noBids: bids(DOLLAR_MICROS - middle, unit, `${text.ticker}/no`),
  };
}

/** Bids below a middle, deeper ones larger. */
function bids(middle: bigint, unit: bigint, name: string): Level[] {
  const levels: Level[] = [];
  for (let depth = 1; depth <= LEVELS; depth += 1) {
    const price = middle - BigInt(depth) * unit;
    const contracts = 100 + Math.round(chance(`${name}/${depth}`) * 300) * depth;
    if (price > 0n) levels.push([price, BigInt(contracts) * 100n]);
  }
  return levels;
}
