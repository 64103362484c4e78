import { asksFor, type Book, takerFeeUsdMicros } from '@agent-wallet/kalshi';
import { AppError, newId } from '@agent-wallet/kernel';
import type {
  Exchange,
  ExchangeFill,
  ExchangeMarket,
  ExchangeOrder,
  NewOrder,
  Placement,
  SlotRequest,
  WantedOrder,
} from '../src/ports/exchange.js';

/** What becomes of one sending of an order. */
export type OrderMood =
  /** Its answer is lost; it was taken. */
  | 'lost-after'
  /** Taken, and the answer names an order that is not there, or more contracts than were traded. */
  | 'misnamed'
  | 'overstated'
  /** It is lost on the way. */
  | 'lost-before'
  /** No response comes, and the order arrives a little later. */
  | 'late'
  | 'unsent'
  /** The exchange says that it has it: it has not, or does not show it before `show` is called. */
  | 'claimed'
  | 'hidden'
  /** The exchange is known to have refused it: its own code. */
  | `refused:${string}`;

/** What becomes of one read of the account. */
export type ReadMood = 'fails' | 'lags';

export const FEES = { takerRatePpm: 70_000n };
const DOLLAR = 1_000_000n;
const LATE_MS = 60;

interface Kept extends ExchangeOrder {
  readonly fills: ExchangeFill[];
  readonly atMs: number;
}

/** Yes costs 42 cents (3 contracts), then 43; it brings 40, then 39. */
export const BOOK: Book = {
  yesBids: [
    { priceUsdMicros: 400_000n, count: 5_000n },
    { priceUsdMicros: 390_000n, count: 50_000n },
  ],
  noBids: [
    { priceUsdMicros: 580_000n, count: 300n },
    { priceUsdMicros: 570_000n, count: 100_000n },
  ],
};

/** An exchange with one market that does what a test says, and otherwise what the real one does. */
export class ScriptedExchange implements Exchange {
  book = BOOK;
  trading: Pick<ExchangeMarket, 'status' | 'paused'> = { status: 'open', paused: false };
  tradingActive = true;
  fees = FEES;
  cash = 1_000_000_000_000n;
  /** Yes positive, hundredths. */
  position = 0n;
  /** Contracts that are filled at most of an order; undefined for all that the book gives. */
  partial: bigint | undefined;
  readonly moods: OrderMood[] = [];
  readonly reads: ReadMood[] = [];
  /** Milliseconds for which the portfolio's reads are old. */
  lagMs = 0;
  /** Called when a call has had its effect, before it is answered. */
  onEffect: (what: string) => Promise<void> = async () => {};
  /** How often an order was sent, by client order id. */
  readonly sendings = new Map<string, number>();
  readonly orders = new Map<string, Kept>();
  readonly #hidden = new Map<string, Kept>();

  async market(ticker: string): Promise<ExchangeMarket | undefined> {
    if (ticker !== 'M-1') return undefined;
    return {
      ...{ ticker, eventTicker: 'E-1', exchangeIndex: 0, title: 'Will it?', closeTimeMs: Date.now() + 1e6 },
      ...this.trading,
      priceRanges: [{ startUsdMicros: 0n, endUsdMicros: DOLLAR, stepUsdMicros: 10_000n }],
      ...{ result: undefined, settlementValueUsdMicros: undefined, settledAtMs: undefined },
    };
  }

  async orderbook(): Promise<Book> {
    return this.book;
  }

  async feeTerms() {
    return this.fees;
  }

  async status() {
    return { tradingActive: this.tradingActive };
  }

  async placeOrder(order: NewOrder, slot: SlotRequest): Promise<Placement> {
    await this.onEffect('before-order');
    if (slot.signal.aborted) return { kind: 'unsent' };
    const mood = this.moods.shift();
    if (mood === 'unsent') return { kind: 'unsent' };
    const { clientOrderId } = order;
    this.sendings.set(clientOrderId, (this.sendings.get(clientOrderId) ?? 0) + 1);
    if (mood === 'lost-before') return lost();
    if (mood === 'late') {
      setTimeout(() => this.#take(order), LATE_MS);
      return lost();
    }
    if (mood?.startsWith('refused:')) return { kind: 'rejected', code: mood.slice('refused:'.length), status: 409 };
    if (mood === 'claimed') return { kind: 'exists' };
    const placement = this.#take(order);
    await this.onEffect('order');
    if (mood === 'hidden') return this.#hide(clientOrderId);
    if (mood === 'misnamed' && placement.kind === 'accepted') return { ...placement, orderId: 'another' };
    if (mood === 'overstated' && placement.kind === 'accepted') return { ...placement, filled: placement.filled + 1n };
    return mood === 'lost-after' ? lost() : placement;
  }

  async findOrder({ ticker, clientOrderId, sinceMs }: WantedOrder): Promise<ExchangeOrder | undefined> {
    this.#read();
    const found = this.orders.get(clientOrderId);
    const isShown = found && found.ticker === ticker && found.atMs >= sinceMs && found.atMs <= this.#shownUntilMs();
    return isShown ? found : undefined;
  }

  async fills(orderId: string): Promise<ExchangeFill[]> {
    this.#read();
    const order = [...this.orders.values()].find((each) => each.orderId === orderId);
    return order && order.atMs <= this.#shownUntilMs() ? order.fills : [];
  }

  async asOfMs(): Promise<number> {
    this.#read();
    return this.#shownUntilMs();
  }

  async balance() {
    return { cashUsdMicros: this.cash };
  }

  async positions(): Promise<ReadonlyMap<string, bigint>> {
    return new Map(this.position === 0n ? [] : [['M-1', this.position]]);
  }

  async settlements() {
    return [];
  }

  onHint(): void {}

  /** Shows what it has hidden. */
  show(): void {
    for (const [id, order] of this.#hidden) this.orders.set(id, { ...order, atMs: Date.now() });
    this.#hidden.clear();
  }

  #hide(clientOrderId: string): Placement {
    this.#hidden.set(clientOrderId, this.orders.get(clientOrderId)!);
    this.orders.delete(clientOrderId);
    return { kind: 'exists' };
  }

  #shownUntilMs(): number {
    return Date.now() - this.lagMs;
  }

  #read(): void {
    if (this.reads.shift() === 'fails') throw new AppError('UPSTREAM_ERROR');
  }

  #take(order: NewOrder): Placement {
    if (this.orders.has(order.clientOrderId)) return { kind: 'exists' };
    if (this.trading.status !== 'open') return { kind: 'rejected', code: 'MARKET_INACTIVE', status: 409 };
    if (this.trading.paused) return { kind: 'rejected', code: 'TRADING_PAUSED', status: 409 };
    const orderId = newId();
    const fills = this.#match(order, orderId);
    const filled = fills.reduce((sum, { count }) => sum + count, 0n);
    const { clientOrderId, ticker, count } = order;
    const status = filled === count ? ('executed' as const) : ('canceled' as const);
    this.orders.set(clientOrderId, {
      ...{ orderId, clientOrderId, ticker, count, filled, status, fills, atMs: Date.now() },
    });
    return { kind: 'accepted', orderId, filled };
  }

  /** A bid buys yes, an ask buys no: against what is bid on the other side. Levels are not used up. */
  #match({ side, priceUsdMicros, count, ticker }: NewOrder, orderId: string): ExchangeFill[] {
    const bought = side === 'bid' ? ('yes' as const) : ('no' as const);
    const limit = side === 'bid' ? priceUsdMicros : DOLLAR - priceUsdMicros;
    const fills: ExchangeFill[] = [];
    let left = this.partial !== undefined && this.partial < count ? this.partial : count;
    for (const { priceUsdMicros: price, count: there } of asksFor(this.book, bought)) {
      if (left === 0n || price > limit) break;
      const taken = there < left ? there : left;
      left -= taken;
      const feeUsdMicros = takerFeeUsdMicros(this.fees, { priceUsdMicros: price, count: taken });
      const [yes, no] = bought === 'yes' ? [price, DOLLAR - price] : [DOLLAR - price, price];
      fills.push({
        ...{ fillId: newId(), orderId, ticker, side: bought, count: taken, feeUsdMicros, atMs: Date.now() },
        ...{ yesPriceUsdMicros: yes, noPriceUsdMicros: no },
      });
      this.#settle(bought, taken, (price * taken + 99n) / 100n + feeUsdMicros);
    }
    return fills;
  }

  /** What the account pays, and what it gets for pairs. */
  #settle(bought: 'yes' | 'no', count: bigint, due: bigint): void {
    const signed = bought === 'yes' ? count : -count;
    const against = bought === 'yes' ? -this.position : this.position;
    const pairs = against <= 0n ? 0n : against < count ? against : count;
    this.position += signed;
    this.cash += (pairs * DOLLAR) / 100n - due;
  }
}

function lost(): Placement {
  return { kind: 'unknown', cause: new Error('no response came') };
}
