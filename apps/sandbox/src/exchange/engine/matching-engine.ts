import { Account } from './account.js';
import type { AdminStatus, Command, CommandRecord } from './commands.js';
import { Market } from './market.js';
import type { Beginning, MarketSpec } from './market-state.js';
import type { ExchangeEvent, LifecycleStep, Trade } from './records.js';
import { Trading } from './trading.js';

/** How long a market is open that an admin opens after its end. */
const REOPENED_MS = 24 * 3600_000;

/**
 * The state of the exchange and how commands and time change it, and nothing else: the same commands at the same times
 * give the same exchange, whenever they are read back.
 */
export class MatchingEngine {
  readonly markets = new Map<string, Market>();
  readonly trades: Trade[] = [];
  readonly account = new Account((ticker) => this.markets.get(ticker)!.terms);
  isTrading = true;
  isOpened = false;
  /** The latest time of any event. */
  timeMs = 0;
  readonly trading = new Trading(this);
  private events: ExchangeEvent[] = [];
  /** What time does next; unknown after each step. */
  private due: { readonly timeMs: number; readonly act: () => void } | undefined;

  list(spec: MarketSpec, beginning: Beginning): void {
    const market = new Market(spec);
    market.begin(beginning);
    this.markets.set(spec.ticker, market);
    const { quotes } = beginning;
    if (quotes && market.isListed) this.trading.quote(market, quotes);
    market.book.takeChanges();
  }

  tell(...events: ExchangeEvent[]): void {
    this.events.push(...events);
  }

  /** What happened since this was last asked. */
  takeEvents(): ExchangeEvent[] {
    const events = this.events;
    this.events = [];
    return events;
  }

  /** Does what time does: opens, closes and finalizes markets and ends orders, each at its own time. */
  advance(timeMs: number): void {
    for (let due = (this.due ??= this.nextDue()); due.timeMs <= timeMs; due = this.due ??= this.nextDue()) {
      this.timeMs = Math.max(this.timeMs, due.timeMs);
      due.act();
      this.step();
    }
    this.timeMs = Math.max(this.timeMs, timeMs);
  }

  apply({ timeMs, command }: CommandRecord): void {
    this.advance(timeMs);
    this.act(command);
    this.step();
  }

  private act(command: Command): void {
    switch (command.kind) {
      case 'opened':
        this.isOpened = true;
        return this.account.pay(command.cashMicros, this.timeMs);
      case 'cash':
        return this.account.pay(command.deltaMicros, this.timeMs);
      case 'market':
        return this.add(command.spec);
      case 'quotes':
        return this.trading.quote(this.markets.get(command.ticker)!, command.quotes);
      case 'status':
        return this.changeStatus(this.markets.get(command.ticker)!, command.status);
      case 'trading':
        this.isTrading = command.isActive;
        if (!this.isTrading) for (const market of this.markets.values()) this.trading.cancelOnPause(market);
        return;
      case 'determined':
        return this.determine(command);
      case 'order':
        return this.trading.place(command.order);
      case 'reduced':
        return this.trading.reduce(command.orderId, command.toHundredths);
    }
  }

  private add(spec: MarketSpec): void {
    const market = new Market(spec);
    market.updatedMs = this.timeMs;
    this.markets.set(spec.ticker, market);
    this.publishLifecycle(market, 'created');
  }

  private changeStatus(market: Market, status: AdminStatus): void {
    if (status === 'closed') {
      if (market.status !== 'closed') this.close(market, this.timeMs);
    } else if (status === 'paused') {
      if (market.status === 'inactive') return;
      if (market.status === 'closed') this.reopen(market);
      market.become('inactive', this.timeMs);
      this.trading.cancelOnPause(market);
      this.publishLifecycle(market, 'deactivated');
    } else if (market.status !== 'active') {
      if (market.status === 'closed') this.reopen(market);
      this.activate(market);
    }
  }

  /** Resuming after a pause cancels what rested. */
  private activate(market: Market): void {
    if (market.status === 'inactive') this.trading.cancelAll(market);
    if (market.openTimeMs > this.timeMs) market.openTimeMs = this.timeMs;
    market.become('active', this.timeMs);
    this.publishLifecycle(market, 'activated');
  }

  private reopen(market: Market): void {
    if (market.closeTimeMs <= this.timeMs) market.closeTimeMs = this.timeMs + REOPENED_MS;
    this.publishLifecycle(market, 'close_date_updated');
  }

  private close(market: Market, closeTimeMs: number): void {
    this.trading.cancelAll(market);
    market.book.clearQuotes();
    market.become('closed', this.timeMs);
    if (market.closeTimeMs === closeTimeMs) return;
    market.closeTimeMs = closeTimeMs;
    this.publishLifecycle(market, 'close_date_updated');
  }

  private determine(command: Extract<Command, { kind: 'determined' }>): void {
    const market = this.markets.get(command.ticker)!;
    if (market.isListed) this.close(market, Math.min(market.closeTimeMs, this.timeMs));
    market.determine(command, this.timeMs);
    this.publishLifecycle(market, 'determined');
    if (command.isFinal) this.finalize(market);
  }

  private finalize(market: Market): void {
    market.finalize(this.timeMs);
    const before = this.account.held(market.ticker);
    market.held(before, 0n);
    if (this.account.settle(market, this.timeMs)) {
      this.tell({ kind: 'position', position: this.account.position(market.ticker)! });
    }
    this.publishLifecycle(market, 'settled');
  }

  private nextDue(): { timeMs: number; act: () => void } {
    let due = { timeMs: Infinity, act: () => undefined as void };
    for (const market of this.markets.values()) {
      if (market.dueMs < due.timeMs) due = { timeMs: market.dueMs, act: () => this.live(market) };
    }
    for (const { orderId, expiresMs = Infinity } of this.account.resting()) {
      if (expiresMs < due.timeMs) due = { timeMs: expiresMs, act: () => this.trading.cancel(orderId) };
    }
    return due;
  }

  private live(market: Market): void {
    if (market.status === 'initialized') this.activate(market);
    else if (market.status === 'determined') this.finalize(market);
    else this.close(market, market.closeTimeMs);
  }

  /** Ends one step: the levels it changed are published, and the money it left is remembered. */
  private step(): void {
    this.due = undefined;
    this.account.stamp(this.timeMs);
    for (const { ticker, book } of this.markets.values()) {
      for (const change of book.takeChanges()) this.tell({ kind: 'book', ticker, ...change, timeMs: this.timeMs });
    }
  }

  private publishLifecycle(market: Market, step: LifecycleStep): void {
    this.tell({ kind: 'lifecycle', step, market, timeMs: this.timeMs });
  }
}
