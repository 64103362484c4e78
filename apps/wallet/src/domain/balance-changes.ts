import { type BalanceChange, sumByMint } from '@agent-wallet/kernel';
import { NATIVE } from './token-registry.js';
import { type TransferPlan, unitsOf } from './transfer-plan.js';

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
