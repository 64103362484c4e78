import type { TransactionInstruction } from '@solana/web3.js';
import type { Keypair } from '../chain/keypair.js';

/** One pool's share of a route. Mints and keys are base58; amounts are base units. */
export interface RouteLeg {
  /** The venue's name, as `routePlan[].swapInfo.label` shows it. */
  readonly venue: string;
  /** The pool's account. */
  readonly ammKey: string;
  readonly inputMint: string;
  readonly outputMint: string;
  readonly inAmount: bigint;
  readonly outAmount: bigint;
  /** The leg's share of what its path's input is split into; 10 000 is all. */
  readonly bps: number;
}

/** Whose accounts a route works on; base58. `source` and `destination` are the wallet's own token accounts. */
export interface RouteUser {
  readonly wallet: string;
  readonly source: string;
  readonly destination: string;
}

/** What the program enforces besides the amounts. The platform's fee is taken from the output. */
export interface RouteTerms {
  readonly slippageBps: number;
  readonly platformFeeBps: number;
}

/** A way from one token to another at the pools' state of this moment. */
export interface Route {
  readonly inputMint: string;
  readonly outputMint: string;
  /** What leaves the wallet. */
  readonly inAmount: bigint;
  /** What reaches the wallet after every pool's and transfer fee, without a platform fee. */
  readonly outAmount: bigint;
  /** How far the trade itself moves its price, in percentage points; negative is a loss. */
  readonly priceImpactPct: number;
  readonly legs: readonly RouteLeg[];
  /** Tables that hold the accounts of `instruction`; base58. */
  readonly lookupTables: readonly string[];
  /**
   * The aggregator's route_v2 (shared_accounts_route_v2 when it goes over a third token). Its quoted output is
   * `outAmount` less the platform's fee. The wallet signs; the token accounts must exist when it runs.
   */
  instruction(user: RouteUser, terms: RouteTerms): TransactionInstruction;
}

/** What a route may use. */
export interface RouteOptions {
  /** Names of venues that must not be used. */
  readonly excludeDexes?: readonly string[];
  /** At most this many legs. Without it a large order is split when that gives more. */
  readonly maxLegs?: number;
}

/** The rich trader who signs `fill` orders. */
export interface MarketMaker {
  readonly keypair: Keypair;
  /**
   * Its token account for a mint (base58), stocked with plenty; undefined for mints without a market. Native SOL is in its
   * wallet.
   */
  tokenAccount(mint: string): string | undefined;
}

/** The pools of this world: constant product, on the chain, at the prices of the board. */
export interface Market {
  readonly maker: MarketMaker;
  /** The names of all venues. */
  readonly venues: readonly string[];
  /** The best route for an exact input, undefined when there is none. Mints are base58, amounts base units. */
  quote(inputMint: string, outputMint: string, inAmount: bigint, options?: RouteOptions): Route | undefined;
  /** What an input is worth in the output token at the board's prices, without any fee; undefined without a price. */
  fairOutput(inputMint: string, outputMint: string, inAmount: bigint): bigint | undefined;
  /** Another trader trades first: pools between the two pay `bps` less from now on until they follow the board again. */
  moveAgainst(inputMint: string, outputMint: string, bps: number): void;
  /** Moves the pools between the two to the board's prices now, regardless of past trades. */
  follow(inputMint: string, outputMint: string): void;
}
