/** A place that trades every pair of this world. */
export interface Venue {
  readonly name: string;
  /** Its number in the aggregator's list of swaps; only those without parameters of their own. */
  readonly swapTag: number;
  /** What it keeps of the input, in hundredths of a percent. */
  readonly feeBps: number;
  /** What each side of a pool is worth. */
  readonly depthUsd: bigint;
}

export const VENUES: readonly Venue[] = [
  { name: 'Raydium CLMM', swapTag: 26, feeBps: 4, depthUsd: 2_000_000n },
  { name: 'Meteora DLMM', swapTag: 38, feeBps: 5, depthUsd: 1_500_000n },
  { name: 'Raydium', swapTag: 7, feeBps: 8, depthUsd: 1_000_000n },
];
