import { insufficientFunds, neededLamports, SOL_DECIMALS } from '@agent-wallet/kernel';
import type { Holdings } from './trade-sides.js';
import { isNative, type Token } from './tokens.js';

/** Funds that a trade takes, and those that the wallet has. */
interface Funds {
  readonly input: Token;
  /** Base units that are spent. */
  readonly amount: bigint;
  readonly holdings: Holdings;
  /** Network fee and tips, in lamports. */
  readonly networkLamports: bigint;
  /** Lamports that the wallet's new accounts must hold, those that are closed again among them. */
  readonly rentLamports: bigint;
  /** The least that a wallet may hold, unless it holds nothing. */
  readonly minimumLamports: bigint;
}

/** Refuses a trade that the wallet cannot pay. @throws AppError INSUFFICIENT_FUNDS, naming what is missing */
export function checkFunds({ input, amount, holdings, ...costs }: Funds): void {
  if (!isNative(input) && holdings.inputUnits < amount) {
    throw insufficientFunds({ ...input, available: holdings.inputUnits }, amount);
  }
  const needed = neededLamports({
    held: holdings.lamports,
    networkFee: costs.networkLamports,
    other: costs.rentLamports + (isNative(input) ? amount : 0n),
    minimum: costs.minimumLamports,
  });
  const sol = { symbol: 'SOL', mint: '', decimals: SOL_DECIMALS, available: holdings.lamports };
  if (needed !== undefined) throw insufficientFunds(sol, needed);
}
