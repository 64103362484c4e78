/** The change of a wallet's balance of one token; negative for a loss. */
export interface BalanceChange {
  /** Empty for the native coin. */
  readonly mint: string;
  readonly symbol: string;
  readonly decimals: number;
  /** Base units. */
  readonly amount: bigint;
}

/** Sums the changes by token, and omits tokens without a change. */
export function sumByMint(changes: readonly BalanceChange[]): readonly BalanceChange[] {
  const sums = new Map<string, BalanceChange>();
  for (const change of changes) {
    const amount = (sums.get(change.mint)?.amount ?? 0n) + change.amount;
    sums.set(change.mint, { ...change, amount });
  }
  return [...sums.values()].filter(({ amount }) => amount !== 0n);
}
