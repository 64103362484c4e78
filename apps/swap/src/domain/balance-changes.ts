import { type BalanceChange, sumByMint } from '@agent-wallet/kernel';
import { isNative, NATIVE_MINT, type Token } from './tokens.js';
import type { TradePlan } from './trade-plan.js';

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
