import type { Clock } from '@agent-wallet/kernel';
import { randomUUID } from 'node:crypto';
import type { Journal } from '../../journal/journal.js';
import { RecordType } from '../../journal/record-types.js';
import { checkOrder, checkQuotes, checkSpec } from './checks.js';
import { type AdminStatus, type Command, decodeCommand, encodeCommand, type OrderRequest } from './commands.js';
import { MatchingEngine } from './matching-engine.js';
import type { Market } from './market.js';
import type { Beginning, Ending, Level, MarketSpec, MarketState, Quotes } from './market-state.js';
import type { AccountOrder, AccountView, ExchangeListener, Trade } from './records.js';
import { Refusal } from './refusal.js';

export * from './market-state.js';
export * from './records.js';
export type { AdminStatus, OrderRequest } from './commands.js';
export { Refusal, type RefusalCode } from './refusal.js';

/** How often time is checked without requests. */
const TICK_MS = 100;

interface ExchangeOptions {
  /** The sandbox's clock, which an admin may advance. */
  readonly clock: Clock;
  readonly journal: Journal;
  /** The account's first cash. */
  readonly cashMicros: bigint;
}

/**
 * The exchange: markets with a price-time book each, a market maker without limits, and one account, the operator's.
 *
 * Construct it, list the markets that are the same at every start (`list`), replay the journal, `start`. What changes
 * afterwards is in the journal before it is visible; callers answer when `journal.synced()` has resolved. What time
 * alone does (opening, closing, finalizing) follows from the clock and is not written down.
 */
export class Exchange {
  private readonly floor = new MatchingEngine();
  private readonly listeners = new Set<ExchangeListener>();
  /** Quotes that would be gone after a restart; they are written down before they trade. */
  private readonly passing = new Map<string, Quotes>();
  private timer: NodeJS.Timeout | undefined;

  constructor(private readonly options: ExchangeOptions) {}

  /** A market of the world's beginning, the same at every start: it is not written down. @throws Refusal */
  list(spec: MarketSpec, beginning: Beginning = {}): void {
    if (this.floor.markets.has(spec.ticker)) throw new Refusal('bad_request', `${spec.ticker} is taken`);
    checkSpec(spec);
    this.floor.list(spec, beginning);
  }

  /** Takes back one record of type `exchange`. */
  replay(payload: Buffer): void {
    this.floor.apply(decodeCommand(payload));
  }

  /** Begins to run. */
  start(): void {
    this.floor.takeEvents();
    if (!this.floor.isOpened) this.record({ kind: 'opened', cashMicros: this.options.cashMicros });
    this.timer = setInterval(() => this.look(), TICK_MS);
    this.timer.unref();
  }

  stop(): void {
    clearInterval(this.timer);
  }

  /** Unix milliseconds on the exchange's clock. */
  nowMs(): number {
    return this.look().timeMs;
  }

  /** Adds a market. @throws Refusal when the ticker is taken or the spec makes no sense */
  addMarket(spec: MarketSpec): void {
    if (this.look().markets.has(spec.ticker)) throw new Refusal('bad_request', `${spec.ticker} is taken`);
    checkSpec(spec);
    this.record({ kind: 'market', spec });
  }

  markets(): Iterable<MarketState> {
    return this.look().markets.values();
  }

  market(ticker: string): MarketState | undefined {
    return this.look().markets.get(ticker);
  }

  /** Bids of both sides, the best (highest) first. @throws Refusal for an unknown ticker */
  book(ticker: string): { readonly yes: readonly Level[]; readonly no: readonly Level[] } {
    const { book } = this.known(ticker);
    return { yes: book.levels('yes'), no: book.levels('no') };
  }

  /**
   * Replaces the market maker's quotes; those that meet the account's resting orders trade. Passing quotes are written
   * down only when they trade. @throws Refusal for prices off the grid, sides that cross, a market that
   * is closed
   */
  setQuotes(ticker: string, quotes: Quotes, { isPassing = false } = {}): void {
    const market = this.known(ticker);
    checkQuotes(market, quotes);
    const meetsOrders = this.floor.account.resting().some((order) => order.ticker === ticker);
    const command = { kind: 'quotes', ticker, quotes } as const;
    if (!isPassing || meetsOrders) return this.record(command);
    this.passing.set(ticker, quotes);
    this.apply(command);
  }

  /** Opens, pauses or closes a market. @throws Refusal once it is determined */
  setStatus(ticker: string, status: AdminStatus): void {
    const market = this.known(ticker);
    if (!market.isListed && market.status !== 'closed') throw ended(market);
    if (status === 'closed' || market.status === 'closed') this.passing.delete(ticker);
    this.record({ kind: 'status', ticker, status });
  }

  /** Stops or resumes trading on the whole exchange. */
  setTrading(isActive: boolean): void {
    this.record({ kind: 'trading', isActive });
  }

  get isTrading(): boolean {
    return this.floor.isTrading;
  }

  /** Closes, determines and finalizes a market at once. @throws Refusal once it is finalized */
  settle(ticker: string, ending: Ending): void {
    this.end(ticker, ending, true);
  }

  /** Closes and determines a market; it is finalized when its settlement timer has run. @throws as `settle` */
  determine(ticker: string, ending: Ending): void {
    this.end(ticker, ending, false);
  }

  /** Money in or out of the account from outside. @throws Refusal when there is not so much */
  adjustCash(deltaMicros: bigint): void {
    if (this.account().balanceMicros + deltaMicros < 0n) throw new Refusal('insufficient_balance');
    this.record({ kind: 'cash', deltaMicros });
  }

  /** Places an order of the account. `fillAtMostHundredths` cuts what it fills (a fault). @throws Refusal */
  placeOrder(request: OrderRequest, fillAtMostHundredths?: bigint): AccountOrder {
    const placed = { ...request, orderId: randomUUID(), fillAtMostHundredths };
    const order = checkOrder(this.look(), placed);
    this.keepQuotes(order.ticker);
    this.record({ kind: 'order', order });
    const done = this.floor.account.order(order.orderId);
    if (!done) throw new Refusal('fill_or_kill_insufficient_resting_volume');
    return done;
  }

  /** An order of the account. @throws Refusal when there is none */
  order(orderId: string): AccountOrder {
    const order = this.look().account.order(orderId);
    if (!order) throw new Refusal('not_found', `no order ${orderId}`);
    return order;
  }

  /** Leaves less of a resting order; 0 cancels it. @throws Refusal when it does not rest, or rests with less */
  reduceOrder(orderId: string, toHundredths: bigint): AccountOrder {
    const { ticker, status, remainingHundredths } = this.order(orderId);
    const market = this.known(ticker);
    if (!market.isListed) throw new Refusal('MARKET_INACTIVE');
    if (status !== 'resting') throw new Refusal('not_found', `the order is ${status}`);
    if (toHundredths < 0n || toHundredths >= remainingHundredths) throw new Refusal('invalid_order', 'not a reduction');
    this.record({ kind: 'reduced', orderId, toHundredths });
    return this.order(orderId);
  }

  /** The account, or as it was at the end of a millisecond. */
  account(atMs?: number): AccountView {
    const { account, markets } = this.look();
    return account.view(atMs, (ticker) => {
      const { settledAtMs } = markets.get(ticker)!;
      return settledAtMs === undefined || (atMs !== undefined && settledAtMs > atMs);
    });
  }

  /** Every trade, oldest first. */
  trades(): readonly Trade[] {
    return this.floor.trades;
  }

  /** What traded in the last 24 hours, in hundredths of a contract. */
  volume24h(ticker: string): bigint {
    return this.known(ticker).volume24h(this.floor.timeMs);
  }

  /** Calls back with everything that happens, until the returned function is called. */
  on(listener: ExchangeListener): () => void {
    this.listeners.add(listener);
    return () => this.listeners.delete(listener);
  }

  private end(ticker: string, ending: Ending, isFinal: boolean): void {
    const market = this.known(ticker);
    if (market.status === 'finalized') throw ended(market);
    market.valueOf(ending);
    this.record({ kind: 'determined', ticker, ...ending, isFinal });
  }

  private known(ticker: string): Market {
    const market = this.look().markets.get(ticker);
    if (!market) throw new Refusal('not_found', `no market ${ticker}`);
    return market;
  }

  /** The exchange as it stands now. */
  private look(): MatchingEngine {
    this.floor.advance(Math.max(this.floor.timeMs, this.options.clock.nowMs()));
    this.deliver();
    return this.floor;
  }

  private keepQuotes(ticker: string): void {
    const quotes = this.passing.get(ticker);
    if (quotes) this.record({ kind: 'quotes', ticker, quotes });
  }

  private record(command: Command): void {
    const timeMs = this.look().timeMs;
    this.options.journal.append(RecordType.exchange, encodeCommand({ timeMs, command }));
    if (command.kind === 'quotes') this.passing.delete(command.ticker);
    this.apply(command);
  }

  private apply(command: Command): void {
    this.floor.apply({ timeMs: this.floor.timeMs, command });
    this.deliver();
  }

  private deliver(): void {
    for (const event of this.floor.takeEvents()) for (const listener of this.listeners) listener(event);
  }
}

function ended({ ticker, status }: MarketState): Refusal {
  return new Refusal('bad_request', `${ticker} is ${status}`);
}
