import type { Token } from './tokens.js';
import type { TokenWarning } from './token-warnings.js';

/** What a trade was resolved to. Kept as JSON, so amounts are texts; what a plan does not have is absent. */
export interface TradePlan {
  /** Base58 address of the wallet that trades. */
  readonly wallet: string;
  readonly input: Token;
  readonly output: Token;
  /** Base units that were asked to be spent. */
  readonly amount: string;
  /** What speaks against the tokens. */
  readonly warnings: readonly TokenWarning[];
  /** What the aggregator offered, once its offer was checked. */
  readonly offer?: Offer;
  /** What the wallet really lost and gained, network costs and rent apart. */
  readonly landed?: Traded;
}

/** An offer of the aggregator that does what was asked and nothing else. */
export interface Offer {
  /** Base units of the output that the route promises. */
  readonly outputAmount: string;
  /** Base units of the output below which nothing moves. */
  readonly minOutputAmount: string;
  /** Decimal text of percentage points, negative for a loss; empty where it is not known. */
  readonly priceImpactPercent: string;
  /** Names of the venues, the largest share first. */
  readonly route: readonly string[];
  /** By which the aggregator knows its transaction again. */
  readonly requestId: string;
  /** What the aggregator wants to be told with the signed transaction, where it said so. */
  readonly lastValidBlockHeight?: string;
  /** Where the route stands among the message's instructions, from 0. */
  readonly routeInstruction: number;
  /** Lamports that the wallet puts into new accounts of its own that stay. */
  readonly rentLamports: string;
  /** Lamports that the network takes of the wallet; 0 where somebody else pays. */
  readonly feeLamports: string;
  /** Lamports that the wallet gives away to be landed. */
  readonly tipLamports: string;
  /** What was wrapped before and comes out with the trade: base units, and the lamports that the wallet gets for it. */
  readonly unwrapped?: { readonly units: string; readonly lamports: string };
}

/** Base units on both sides of a trade. */
export interface Traded {
  readonly inputAmount: string;
  readonly outputAmount: string;
}
