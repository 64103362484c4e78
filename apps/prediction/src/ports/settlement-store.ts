import type { MarketOutcome } from '../domain/ledger/post-settlement.js';

/** A market in which agents hold contracts. */
export interface HeldMarket {
  readonly ticker: string;
  /** Whether its settlement has begun, and holders still wait for their payment. */
  readonly isBegun: boolean;
}

/**
 * `begun`: by this call; `begun_earlier`; `busy`: an operation may still change what is held; `unpaid`: the exchange
 * owes our account something and has not paid; `differs`: begun, but the exchange paid something else than it owes.
 */
export type SettlementStart = 'begun' | 'begun_earlier' | 'busy' | 'unpaid' | 'differs';

/** The ledger's methods for the settlement of markets. */
export interface SettlementStore {
  /** Returns the markets in which any agent holds contracts, by ticker. */
  heldMarkets(): Promise<readonly HeldMarket[]>;
  /**
   * Fixes the terms of a market's settlement, once, and posts what the exchange has paid as owed to the holders. From then
   * on no contract of it changes hands.
   */
  begin(outcome: MarketOutcome): Promise<SettlementStart>;
  /**
   * Pays the holders of a market whose settlement has begun, each once, a bounded number in a transaction, and publishes
   * each payment with it. Continues where an earlier call ended; the market is settled when it returns.
   */
  payHolders(ticker: string): Promise<void>;
}
