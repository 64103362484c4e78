import type { Key } from '../../encoding/keys.js';
import type { RouteLeg } from '../../market/market.js';
import type { Draft } from './draft.js';
import type { NetworkFees } from './network-fees.js';
import type { Side } from './side.js';

/** Why no transaction could be made of an offer; numbers mean something per router. */
export interface Problem {
  readonly code: number;
  readonly message: string;
}

/** A transaction in the making, and what it takes from the taker besides the input. */
export interface Plan {
  readonly draft: Draft;
  readonly input: Side;
  readonly output: Side;
  /** Rent of accounts that stay. */
  readonly rentLamports: bigint;
  readonly problem: Problem | undefined;
}

/** What one router would give for an input. Amounts are base units. */
export interface Offer {
  readonly router: 'metis' | 'jupiterz';
  readonly inputMint: Key;
  readonly outputMint: Key;
  readonly inAmount: bigint;
  /** What the taker receives unless the price moves, every fee taken off. */
  readonly outAmount: bigint;
  readonly slippageBps: number;
  readonly platformFeeBps: number;
  /** Percentage points; negative is a loss. */
  readonly priceImpactPct: number;
  readonly legs: readonly RouteLeg[];
  readonly maker?: { readonly address: string; readonly quoteId: string; readonly expireAtSeconds: number };
  /** Puts the transaction together for a taker, and for the payer of the network in its place. */
  plan(taker: Key, fees: NetworkFees, payer?: Key): Plan;
}

/** The least an offer promises. */
export function leastOutput({ outAmount, slippageBps }: Pick<Offer, 'outAmount' | 'slippageBps'>): bigint {
  return (outAmount * BigInt(10_000 - slippageBps)) / 10_000n;
}
