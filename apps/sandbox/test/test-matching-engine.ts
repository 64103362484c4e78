import path from 'node:path';
import { Exchange, type Level, type MarketSpec, type OrderRequest } from '../src/exchange/engine/exchange.js';
import { Journal } from '../src/journal/journal.js';
import { RecordType } from '../src/journal/record-types.js';
import { temporaryDir } from './world.js';

export const NOON = Date.UTC(2026, 0, 1, 12);
export const HOUR = 3600_000;

/** Micro-dollars of cents. */
export const cents = (amount: number): bigint => BigInt(Math.round(amount * 100)) * 100n;

/** Hundredths of whole contracts. */
export const contracts = (count: number): bigint => BigInt(Math.round(count * 100));

export const level = (price: number, count: number): Level => [cents(price), contracts(count)];

export function spec(ticker: string, more: Partial<MarketSpec> = {}): MarketSpec {
  return {
    ticker,
    eventTicker: `${ticker}-E`,
    openTimeMs: NOON - HOUR,
    closeTimeMs: NOON + 24 * HOUR,
    settlementTimerSeconds: 60,
    priceRanges: [{ startMicros: 0n, endMicros: 1_000_000n, stepMicros: 10_000n }],
    feeType: 'quadratic',
    feeMultiplier: '1',
    ...more,
  };
}

type TestOrder = OrderRequest & { readonly fillAtMost: bigint | undefined };

/** An exchange with a journal and a clock of its own. */
export class TestMatchingEngine {
  nowMs = NOON;
  exchange!: Exchange;
  journal!: Journal;
  private orders = 0;
  private readonly data = temporaryDir();

  constructor(
    private readonly world: (exchange: Exchange) => void = () => undefined,
    private readonly cashMicros = cents(1_000_00),
  ) {
    this.open();
  }

  /** Reads everything back from the file, as after a kill: the old one is not closed in any way. */
  open(): void {
    this.exchange?.stop();
    this.journal = Journal.open(path.join(this.data.dir, 'journal.log'));
    const clock = { nowMs: () => this.nowMs };
    this.exchange = new Exchange({ clock, journal: this.journal, cashMicros: this.cashMicros });
    this.world(this.exchange);
    this.journal.replay(({ type, payload }) => {
      if (type === RecordType.exchange) this.exchange.replay(payload);
    });
    this.exchange.start();
  }

  close(): void {
    this.exchange.stop();
    this.data.remove();
  }

  /** An immediate-or-cancel order, unless said otherwise. */
  order(
    ticker: string,
    terms: readonly [side: 'bid' | 'ask', price: number, count: number],
    more: Partial<TestOrder> = {},
  ) {
    const [side, price, count] = terms;
    this.orders += 1;
    const { fillAtMost, ...rest } = more;
    const order: OrderRequest = {
      ticker,
      clientOrderId: `order-${this.orders}`,
      side,
      hundredths: contracts(count),
      priceMicros: cents(price),
      timeInForce: 'immediate_or_cancel',
      selfTradePrevention: 'taker_at_cross',
      ...rest,
    };
    return this.exchange.placeOrder(order, fillAtMost);
  }
}
