import type { Clock } from '@agent-wallet/kernel';
import type { Journal } from '../../journal/journal.js';
import type { Level, MarketResult, MarketSpec, MarketState, Quotes } from './market-state.js';
import type {
  AccountOrder,
  AccountView,
  BookSide,
  ExchangeListener,
  SelfTradePrevention,
  TimeInForce,
  Trade,
} from './records.js';

export * from './market-state.js';
export * from './records.js';
export { Refusal, type RefusalCode } from './refusal.js';

/** How a market is to end. `valueCents` is what a YES contract pays: needed for `scalar`, may be given for `void`. */
export interface Ending {
  readonly result: MarketResult;
  readonly valueCents?: number | undefined;
}

/** An order of the operator's account as it came. */
export interface OrderRequest {
  readonly ticker: string;
  readonly clientOrderId: string;
  readonly side: BookSide;
  readonly hundredths: bigint;
  /** On the scale of YES. */
  readonly priceMicros: bigint;
  readonly timeInForce: TimeInForce;
  readonly selfTradePrevention: SelfTradePrevention;
  readonly expiresMs?: number | undefined;
  readonly isPostOnly?: boolean | undefined;
  readonly isReduceOnly?: boolean | undefined;
  readonly cancelsOnPause?: boolean | undefined;
}

export interface ExchangeOptions {
  /** The sandbox's clock, which an admin may advance. */
  readonly clock: Clock;
  readonly journal: Journal;
  /** The account's first cash. */
  readonly cashMicros: bigint;
}

/**
 * The exchange: markets with a price-time book each, a market maker without limits, and one account, the operator's.
 *
 * Construct it, list the world's markets that are the same at every start (`list`), replay the journal, `start`. What
 * changes afterwards is in the journal before anybody sees it; callers answer when `journal.synced()` has resolved.
 */
export class Exchange {
  constructor(options: ExchangeOptions) {
    void options;
  }

  /** A market of the world's beginning, the same at every start: it is not written down. */
  list(spec: MarketSpec, quotes?: Quotes): void {
    void spec;
    void quotes;
  }

  /** Takes back one record of type `exchange`. */
  replay(payload: Buffer): void {
    void payload;
  }

  /** Begins to run: time opens, closes and finalizes markets. */
  start(): void {}

  stop(): void {}

  /** Adds a market. @throws Refusal when the ticker is taken or the spec makes no sense */
  addMarket(spec: MarketSpec): void {
    void spec;
  }

  markets(): Iterable<MarketState> {
    return [];
  }

  market(ticker: string): MarketState | undefined {
    void ticker;
    return undefined;
  }

  /** Bids of both sides, the best (highest) first. @throws Refusal for an unknown ticker */
  book(ticker: string): { readonly yes: readonly Level[]; readonly no: readonly Level[] } {
    void ticker;
    return { yes: [], no: [] };
  }

  /**
   * Replaces the market maker's quotes; those that meet the account's resting orders trade. Passing quotes are written
   * down only once somebody trades on them. @throws Refusal for prices off the grid, sides that cross, a market that
   * is not open or paused
   */
  setQuotes(ticker: string, quotes: Quotes, options: { readonly isPassing?: boolean } = {}): void {
    void [ticker, quotes, options];
  }

  /** Opens, pauses or closes a market. @throws Refusal once it is determined */
  setStatus(ticker: string, status: 'open' | 'paused' | 'closed'): void {
    void [ticker, status];
  }

  /** Stops or resumes trading on the whole exchange. */
  setTrading(isActive: boolean): void {
    void isActive;
  }

  get isTrading(): boolean {
    return true;
  }

  /** Closes, determines and finalizes a market at once. @throws Refusal once it is finalized */
  settle(ticker: string, ending: Ending): void {
    void [ticker, ending];
  }

  /** Closes and determines a market; it is finalized when its settlement timer has run. */
  determine(ticker: string, ending: Ending): void {
    void [ticker, ending];
  }

  /** Money in or out of the account from outside. @throws Refusal when there is not so much */
  adjustCash(deltaMicros: bigint): void {
    void deltaMicros;
  }

  /** Places an order of the account. `fillAtMost` cuts what it fills (a fault). @throws Refusal */
  placeOrder(order: OrderRequest, fillAtMost?: bigint): AccountOrder {
    void [order, fillAtMost];
    throw new Error('not yet');
  }

  /** The account, or as it was at a time. */
  account(atMs?: number): AccountView {
    void atMs;
    throw new Error('not yet');
  }

  /** Every trade, oldest first. */
  trades(): readonly Trade[] {
    return [];
  }

  /** What traded in the last 24 hours, in hundredths of a contract. */
  volume24h(ticker: string): bigint {
    void ticker;
    return 0n;
  }

  /** Calls back with everything that happens, until the returned function is called. */
  on(listener: ExchangeListener): () => void {
    void listener;
    return () => undefined;
  }
}
