import { createHash } from 'node:crypto';
import type { Account } from './account.js';
import type { PlacedOrder } from './commands.js';
import type { Market } from './market.js';
import type { Quotes } from './market-state.js';
import { boughtBy, ownPrice, type Resting } from './order-book.js';
import type { ExchangeEvent, Trade } from './records.js';

/** What trading works on. */
interface TradingState {
  readonly markets: ReadonlyMap<string, Market>;
  readonly account: Account;
  readonly trades: Trade[];
  readonly isTrading: boolean;
  readonly timeMs: number;
  tell(...events: ExchangeEvent[]): void;
}

/** Orders of the account against the market maker's quotes, by price and time. */
export class Trading {
  constructor(private readonly floor: TradingState) {}

  /** What an order would be filled with now, before anything moves, and in how many parts. */
  fillable(order: PlacedOrder): { hundredths: bigint; parts: number } {
    const wanted = atMost(order);
    let left = wanted;
    let parts = 0;
    for (const resting of this.floor.markets.get(order.ticker)!.book.crossing(order.side, order.priceMicros)) {
      if (left === 0n) break;
      if (resting.orderId !== undefined) {
        if (order.selfTradePrevention === 'taker_at_cross') break;
        continue;
      }
      left -= least(resting.hundredths, left);
      parts += 1;
    }
    return { hundredths: wanted - left, parts };
  }

  place(order: PlacedOrder): void {
    const market = this.floor.markets.get(order.ticker)!;
    this.floor.account.use(order.clientOrderId);
    const { hundredths } = this.fillable(order);
    if (order.timeInForce === 'fill_or_kill' && hundredths < order.hundredths) return;
    this.floor.account.open({
      orderId: order.orderId,
      clientOrderId: order.clientOrderId,
      ticker: order.ticker,
      side: order.side,
      priceMicros: order.priceMicros,
      timeInForce: order.timeInForce,
      selfTradePrevention: order.selfTradePrevention,
      cancelsOnPause: order.cancelsOnPause ?? false,
      expiresMs: order.expiresMs,
      eventTicker: market.eventTicker,
      status: 'resting',
      initialHundredths: order.hundredths,
      filledHundredths: 0n,
      remainingHundredths: order.hundredths,
      takerCostMicros: 0n,
      makerCostMicros: 0n,
      takerFeesMicros: 0n,
      makerFeesMicros: 0n,
      createdMs: this.floor.timeMs,
      updatedMs: this.floor.timeMs,
    });
    const isStopped = this.meet(market, order);
    this.rest(market, order, isStopped);
  }

  /** Trades with what it meets; whether what is left must not rest. */
  private meet(market: Market, order: PlacedOrder): boolean {
    let left = atMost(order);
    for (const resting of market.book.crossing(order.side, order.priceMicros)) {
      if (left === 0n) break;
      if (resting.orderId !== undefined) {
        if (order.selfTradePrevention === 'taker_at_cross') return true;
        this.cancel(resting.orderId);
        continue;
      }
      const hundredths = least(resting.hundredths, left);
      left -= hundredths;
      this.trade(market, { orderId: order.orderId, resting, hundredths, isTaker: true });
    }
    return order.fillAtMostHundredths !== undefined;
  }

  private rest(market: Market, { orderId, timeInForce, side, priceMicros }: PlacedOrder, isStopped: boolean): void {
    const { remainingHundredths, status } = this.floor.account.order(orderId)!;
    if (status === 'resting') {
      if (isStopped || timeInForce !== 'good_till_canceled') return this.cancel(orderId);
      market.book.add({ orderId, side, priceMicros, hundredths: remainingHundredths });
    }
    this.publishOrder(orderId);
  }

  /** One trade between the account's order and the market maker, either of which rests. */
  private trade(
    market: Market,
    match: { orderId: string; resting: Resting; hundredths: bigint; isTaker: boolean },
  ): void {
    const { orderId, resting, hundredths, isTaker } = match;
    const timeMs = this.floor.timeMs;
    const seq = this.floor.trades.length + 1;
    const fillId = uuidOf(`${orderId} ${seq}`);
    const yesPriceMicros = resting.priceMicros;
    const before = this.floor.account.held(market.ticker);
    const fill = this.floor.account.fill({ orderId, fillId, market, hundredths, yesPriceMicros, isTaker, timeMs });
    const after = this.floor.account.held(market.ticker);
    market.book.reduce(resting, hundredths);
    market.held(before, after);
    market.traded(hundredths, yesPriceMicros, timeMs);
    const takerOutcome = boughtBy(resting.side === 'bid' ? 'ask' : 'bid');
    const trade = { seq, tradeId: fillId, ticker: market.ticker, hundredths, yesPriceMicros, takerOutcome, timeMs };
    this.floor.trades.push(trade);
    this.floor.tell(
      { kind: 'fill', fill, positionHundredths: after },
      { kind: 'position', position: this.floor.account.position(market.ticker)! },
      { kind: 'trade', trade },
    );
  }

  /** The market maker's quotes, which trade with the account's resting orders where they meet. */
  quote(market: Market, { yesBids, noBids }: Quotes): void {
    market.book.clearQuotes();
    for (const [price, hundredths] of yesBids) {
      this.quoteOne(market, { orderId: undefined, side: 'bid', priceMicros: price, hundredths });
    }
    for (const [price, hundredths] of noBids) {
      this.quoteOne(market, { orderId: undefined, side: 'ask', priceMicros: ownPrice('no', price), hundredths });
    }
  }

  private quoteOne(market: Market, quote: Resting): void {
    if (market.status === 'active' && this.floor.isTrading) {
      for (const resting of market.book.crossing(quote.side, quote.priceMicros)) {
        if (resting.orderId === undefined || quote.hundredths === 0n) continue;
        const hundredths = least(resting.hundredths, quote.hundredths);
        quote.hundredths -= hundredths;
        this.trade(market, { orderId: resting.orderId, resting, hundredths, isTaker: false });
        this.publishOrder(resting.orderId);
      }
    }
    if (quote.hundredths > 0n) market.book.add(quote);
  }

  reduce(orderId: string, toHundredths: bigint): void {
    if (toHundredths === 0n) return this.cancel(orderId);
    const { ticker, remainingHundredths } = this.floor.account.order(orderId)!;
    const { book } = this.floor.markets.get(ticker)!;
    book.reduce(book.find(orderId)!, remainingHundredths - toHundredths);
    this.floor.account.amend(orderId, { remainingHundredths: toHundredths }, this.floor.timeMs);
    this.publishOrder(orderId);
  }

  cancel(orderId: string): void {
    const { ticker } = this.floor.account.order(orderId)!;
    const { book } = this.floor.markets.get(ticker)!;
    const resting = book.find(orderId);
    if (resting) book.reduce(resting);
    this.floor.account.amend(orderId, { status: 'canceled', remainingHundredths: 0n }, this.floor.timeMs);
    this.publishOrder(orderId);
  }

  cancelAll({ ticker }: Market): void {
    for (const order of this.floor.account.resting()) if (order.ticker === ticker) this.cancel(order.orderId);
  }

  cancelOnPause({ ticker }: Market): void {
    for (const order of this.floor.account.resting()) {
      if (order.ticker === ticker && order.cancelsOnPause) this.cancel(order.orderId);
    }
  }

  private publishOrder(orderId: string): void {
    this.floor.tell({ kind: 'order', order: this.floor.account.order(orderId)! });
  }
}

function atMost({ hundredths, fillAtMostHundredths = hundredths }: PlacedOrder): bigint {
  return least(fillAtMostHundredths, hundredths);
}

function least(one: bigint, other: bigint): bigint {
  return one < other ? one : other;
}

/** An id that follows from the text, so that it is the same when the journal is read back. */
function uuidOf(text: string): string {
  const hex = createHash('sha256').update(text).digest('hex');
  return [hex.slice(0, 8), hex.slice(8, 12), `8${hex.slice(13, 16)}`, `8${hex.slice(17, 20)}`, hex.slice(20, 32)].join(
    '-',
  );
}
