import { NATIVE } from './token-registry.js';
import { type TransferPlan, unitsOf } from './transfer-plan.js';

/** How much of one token a wallet gains, or loses when negative. */
export interface BalanceChange {
  /** Empty for the native coin. */
  readonly mint: string;
  readonly symbol: string;
  /** Base units. */
  readonly amount: bigint;
}

/** What a transfer does to the wallet that makes it. */
export function changesByTransfer(plan: TransferPlan, networkFeeLamports: bigint): readonly BalanceChange[] {
  const costs = plan.sponsor === undefined ? networkFeeLamports + BigInt(plan.rentLamports ?? 0) : 0n;
  const { mint, symbol } = plan;
  return sumByMint([
    { mint, symbol, amount: -unitsOf(plan).leaving },
    { ...native, amount: -costs },
  ]);
}

const native = { mint: NATIVE.mint, symbol: NATIVE.symbol };

/** One change a token, and none where nothing changes. */
export function sumByMint(changes: readonly BalanceChange[]): readonly BalanceChange[] {
  const sums = new Map<string, BalanceChange>();
  for (const change of changes) {
    const amount = (sums.get(change.mint)?.amount ?? 0n) + change.amount;
    sums.set(change.mint, { ...change, amount });
  }
  return [...sums.values()].filter(({ amount }) => amount !== 0n);
}
