import type { MarketOutcome } from '../domain/ledger/post-settlement.js';

/** Contracts of a market that agents hold. */
export interface HeldMarket {
  readonly ticker: string;
  readonly yes: bigint;
  readonly no: bigint;
}

/**
 * `settled`: by this call; `settled_earlier`; `busy`: an operation may still change what is held; `unpaid`: the exchange
 * owes our account something and has not paid; `differs`: settled, but the exchange paid something else than it owes.
 */
export type SettlementResult = 'settled' | 'settled_earlier' | 'busy' | 'unpaid' | 'differs';

/** The ledger's methods for the settlement of markets. */
export interface SettlementStore {
  /** Markets in which any agent holds contracts, by ticker. */
  heldMarkets(): Promise<readonly HeldMarket[]>;
  /** Pays what a market's contracts are worth, once, and publishes it, all in one transaction. */
  settle(outcome: MarketOutcome): Promise<SettlementResult>;
}
