import { isNative, NATIVE_MINT, type Token } from './tokens.js';
import type { TradePlan } from './trade-plan.js';

/** How much of one token a wallet gains, or loses when negative. */
export interface BalanceChange {
  /** Empty for the native coin. */
  readonly mint: string;
  readonly symbol: string;
  /** Base units. */
  readonly amount: bigint;
}

/** What a trade does to the wallet, by its quote. */
export function changesByTrade({ input, output, amount, offer }: TradePlan): readonly BalanceChange[] {
  const { outputAmount = 0, feeLamports = 0, tipLamports = 0, rentLamports = 0, unwrapped } = offer ?? {};
  const costs = BigInt(feeLamports) + BigInt(tipLamports) + BigInt(rentLamports);
  return sumByMint([
    { ...shown(input), amount: -BigInt(amount) },
    { ...shown(output), amount: BigInt(outputAmount) },
    { mint: '', symbol: 'SOL', amount: BigInt(unwrapped?.lamports ?? 0) - costs },
    { mint: NATIVE_MINT, symbol: 'wSOL', amount: -BigInt(unwrapped?.units ?? 0) },
  ]);
}

function shown(token: Token): Pick<BalanceChange, 'mint' | 'symbol'> {
  return { mint: isNative(token) ? '' : token.mint, symbol: token.symbol };
}

/** One change a token, and none where nothing changes. */
function sumByMint(changes: readonly BalanceChange[]): readonly BalanceChange[] {
  const sums = new Map<string, BalanceChange>();
  for (const change of changes) {
    const amount = (sums.get(change.mint)?.amount ?? 0n) + change.amount;
    sums.set(change.mint, { ...change, amount });
  }
  return [...sums.values()].filter(({ amount }) => amount !== 0n);
}
