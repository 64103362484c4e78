import {
  AppError,
  type BalanceChange,
  type BaseUnits,
  baseUnits,
  formatAmount,
  insufficientFunds,
  SOL_DECIMALS,
  sumByMint,
  WRAPPED_SOL_MINT,
} from '@agent-wallet/kernel';
import { NATIVE } from './token-registry.js';

/** An unwrap as the caller wrote it. */
export interface UnwrapRequest {
  /** In lamports; absent for all. */
  readonly amount?: BaseUnits;
}

/** What an unwrap was resolved to, in lamports. */
export interface UnwrapPlan {
  /** What becomes SOL. */
  readonly amount: BaseUnits;
  /** What stays wrapped. */
  readonly remainder: BaseUnits;
  /** What the wallet gains, network fee apart: the amount, and the rent of an account that is closed for good. */
  readonly gained: bigint;
  /** Base58 address of the sponsor, when it pays the network fee. */
  readonly sponsor?: string;
}

/** The wallet's account of wrapped SOL. */
export interface WrappedSol {
  /** What it holds as tokens. */
  readonly units: bigint;
  /** What it holds as an account, its rent included. */
  readonly lamports: bigint;
  /** What a new one must hold. */
  readonly rentLamports: bigint;
}

/** What the wallet ends with has to be allowed by the chain. */
export interface UnwrappingWallet {
  /** What it holds once the network fee is paid. */
  readonly lamportsLeft: bigint;
  /** The least that it may hold, unless it holds nothing. */
  readonly minimumLamports: bigint;
}

const WRAPPED_SOL = { symbol: 'wSOL', mint: WRAPPED_SOL_MINT, decimals: SOL_DECIMALS };

/** How much becomes SOL, and how much stays. @throws AppError INSUFFICIENT_FUNDS */
export function planUnwrap(request: UnwrapRequest, { units, lamports, rentLamports }: WrappedSol): UnwrapPlan {
  const amount = request.amount ?? baseUnits(units);
  if (amount === 0n) throw new AppError('INSUFFICIENT_FUNDS', { message: 'The wallet holds no wrapped SOL.' });
  if (amount > units) throw insufficientFunds({ ...WRAPPED_SOL, available: units }, amount);
  const remainder = baseUnits(units - amount);
  const rewrapped = remainder > 0n ? remainder + rentLamports : 0n;
  return { amount, remainder, gained: lamports - rewrapped };
}

/** Refuses an amount that leaves the wallet with less than it must hold. @throws AppError VALIDATION_ERROR */
export function checkWalletAfter({ gained }: UnwrapPlan, { lamportsLeft, minimumLamports }: UnwrappingWallet): void {
  const missing = minimumLamports - lamportsLeft - gained;
  if (missing <= 0n) return;
  const text = formatAmount(missing, SOL_DECIMALS);
  throw AppError.field(
    'amount',
    `must be larger by ${text} SOL, because the wallet would hold too little`,
    'out_of_range',
  );
}

/** What an unwrap does to the wallet that makes it. */
export function changesByUnwrap(plan: UnwrapPlan, networkFeeLamports: bigint): readonly BalanceChange[] {
  const fee = plan.sponsor === undefined ? networkFeeLamports : 0n;
  return sumByMint([
    { mint: WRAPPED_SOL_MINT, symbol: 'wSOL', decimals: SOL_DECIMALS, amount: 0n - plan.amount },
    { mint: NATIVE.mint, symbol: NATIVE.symbol, decimals: SOL_DECIMALS, amount: plan.gained - fee },
  ]);
}
