import type { Book, FeeTerms, PriceRange, Side } from '@agent-wallet/kalshi';

/**
 * The operator's account at the exchange, and the markets. Money and prices are micro-dollars (a contract
 * pays at most 1 000 000), numbers of contracts are hundredths, times are Unix milliseconds.
 *
 * Every read waits for the read quota that all copies share, and throws AppError UPSTREAM_ERROR, UPSTREAM_TIMEOUT or
 * SERVICE_UNAVAILABLE (the quota is used up for longer than one can wait) when there is no answer.
 */
export interface Exchange {
  /** Returns the market, a moment old at most; undefined when there is none, or when none can have that name. */
  market(ticker: string): Promise<ExchangeMarket | undefined>;
  /** Returns all of the market's book, a moment old at most. @throws AppError NOT_FOUND when the market is unknown */
  orderbook(ticker: string): Promise<Book>;
  /** Returns the fee terms of a fill in the market; cached for minutes. */
  feeTerms(market: Pick<ExchangeMarket, 'eventTicker'>): Promise<FeeTerms>;
  /** Returns whether the exchange trades at all; cached for seconds. */
  status(): Promise<{ readonly tradingActive: boolean }>;
  /**
   * Sends an immediate-or-cancel order when it is the agent's turn. It never throws for what the exchange or the network
   * does; after `unknown` the order may exist.
   */
  placeOrder(order: NewOrder, slot: SlotRequest): Promise<Placement>;
  /** Finds the order with that client order ID on all pages; undefined is not proof that there is none. */
  findOrder(wanted: WantedOrder): Promise<ExchangeOrder | undefined>;
  /**
   * Returns the fills of an order that the exchange shows so far, all pages. They may lag: compare them with `filled`.
   */
  fills(orderId: string): Promise<ExchangeFill[]>;
  /** Returns the time up to which reads of the account are complete. */
  asOfMs(): Promise<number>;
  /** Returns the account's cash. */
  balance(): Promise<{ readonly cashUsdMicros: bigint }>;
  /** Contracts of each market with any, all pages: yes is positive, no negative. */
  positions(): Promise<ReadonlyMap<string, bigint>>;
  /** Returns the payments since then, all pages. A settlement has no ID: it may come again. */
  settlements(sinceMs: number): Promise<ExchangeSettlement[]>;
  /** Calls back, often for nothing, when the exchange says that a market pays. Only a hint: it may never come. */
  onHint(listener: () => void): void;
}

/** A market. */
export interface ExchangeMarket {
  readonly ticker: string;
  readonly eventTicker: string;
  /** The shard that it trades on. */
  readonly exchangeIndex: number;
  /** For people. */
  readonly title: string;
  readonly status: 'unopened' | 'open' | 'closed' | 'settled';
  /** Whether the exchange holds trading up; only of an open market. */
  readonly paused: boolean;
  readonly closeTimeMs: number;
  /** Prices that the market takes. */
  readonly priceRanges: readonly PriceRange[];
  /** Undefined while there is none, and of a settled market that was called off without one. */
  readonly result: 'yes' | 'no' | 'scalar' | undefined;
  /** Payout of a yes contract; undefined while that is not known. Final once the status is settled. */
  readonly settlementValueUsdMicros: bigint | undefined;
  readonly settledAtMs: number | undefined;
}

/** An order to send. */
export interface NewOrder {
  readonly ticker: string;
  readonly exchangeIndex: number;
  /**
   * On the one book of yes: bid buys yes or sells no, ask sells yes or buys no. `toBookOrder` of libs/kalshi translates.
   */
  readonly side: 'bid' | 'ask';
  readonly count: bigint;
  /** Price of yes, on the market's grid. */
  readonly priceUsdMicros: bigint;
  /** The exchange takes an id once, for ever. */
  readonly clientOrderId: string;
}

/** Whose turn it is at the exchange, and for how long it may be waited for. */
export interface SlotRequest {
  readonly agentId: string;
  readonly operationId: string;
  /**
   * Ends the wait and prevents sending. An order that was sent already is still awaited, within the adapter's timeout.
   */
  readonly signal: AbortSignal;
}

/** The result of sending an order. */
export type Placement =
  /** It was taken; `filled` contracts of it, and the rest is cancelled. */
  | { readonly kind: 'accepted'; readonly orderId: string; readonly filled: bigint }
  /** An order with that client order id is there already, perhaps without any fill. */
  | { readonly kind: 'exists' }
  /** It was refused for good; `code` is the exchange's own. */
  | { readonly kind: 'rejected'; readonly code: string; readonly status: number }
  /** It certainly never counted: its turn did not come, or the exchange said that it is asked too often. */
  | { readonly kind: 'unsent' }
  /** The outcome is unknown. */
  | { readonly kind: 'unknown'; readonly cause: unknown };

/** By what an order is looked for. */
export interface WantedOrder {
  readonly ticker: string;
  readonly clientOrderId: string;
  /** Earliest creation time of the order; subtract some time for clocks that differ. */
  readonly sinceMs: number;
}

/** An order as the exchange has it. */
export interface ExchangeOrder {
  readonly orderId: string;
  readonly clientOrderId: string;
  readonly ticker: string;
  readonly status: 'resting' | 'canceled' | 'executed';
  readonly count: bigint;
  readonly filled: bigint;
}

/** A part of an order that was traded. */
export interface ExchangeFill {
  readonly fillId: string;
  readonly orderId: string;
  readonly ticker: string;
  /** The side that the account bought: a sale of yes is a purchase of no. */
  readonly side: Side;
  readonly count: bigint;
  readonly yesPriceUsdMicros: bigint;
  readonly noPriceUsdMicros: bigint;
  readonly feeUsdMicros: bigint;
  readonly atMs: number;
}

/** The exchange's payment to the account for a market. */
export interface ExchangeSettlement {
  readonly ticker: string;
  readonly eventTicker: string;
  readonly exchangeIndex: number;
  /** Undefined when the exchange uses a word that this service does not know. */
  readonly result: 'yes' | 'no' | 'scalar' | 'void' | undefined;
  readonly yesCount: bigint;
  readonly noCount: bigint;
  readonly revenueUsdMicros: bigint;
  /** Payout of a yes contract; undefined when the exchange does not say. */
  readonly valueUsdMicros: bigint | undefined;
  /** Total fees of the account's fills in the market: paid with them, no part of this payment. */
  readonly tradingFeesUsdMicros: bigint;
  readonly settledAtMs: number;
}
