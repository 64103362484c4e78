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

/** The resolved form of an unwrap, in lamports. */
export interface UnwrapPlan {
  /** The amount that becomes SOL. */
  readonly amount: BaseUnits;
  /** The amount that stays wrapped. */
  readonly remainder: BaseUnits;
  /** The wallet's gain, network fee apart: the amount, and the rent of an account that is closed for good. */
  readonly gained: bigint;
  /** The most that the message pays for its place in a block; absent in a quiet market. */
  readonly priorityLamports?: BaseUnits;
  /** Base58 address of the sponsor, when it pays the network fee. */
  readonly sponsor?: string;
}

/** The wallet's account of wrapped SOL. */
export interface WrappedSol {
  /** Its token balance. */
  readonly units: bigint;
  /** Its lamports, rent included. */
  readonly lamports: bigint;
  /** Rent that a new account must hold. */
  readonly rentLamports: bigint;
}

/** The wallet's balance after an unwrap, which the chain has to allow. */
interface UnwrappingWallet {
  /** The balance once the network fee is paid. */
  readonly lamportsLeft: bigint;
  /** The least that it may hold, unless it holds nothing. */
  readonly minimumLamports: bigint;
}

const WRAPPED_SOL = { symbol: 'wSOL', mint: WRAPPED_SOL_MINT, decimals: SOL_DECIMALS };

/** Returns the amount that becomes SOL and the amount that stays. @throws AppError INSUFFICIENT_FUNDS */
export function planUnwrap(request: UnwrapRequest, { units, lamports, rentLamports }: WrappedSol): UnwrapPlan {
  const amount = request.amount ?? baseUnits(units);
  if (amount === 0n)
    throw new AppError('INSUFFICIENT_FUNDS', {
      message: 'The wallet holds no wrapped SOL, so there is nothing to unwrap.',
    });
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

/** Returns the changes that an unwrap makes to its wallet. */
export function changesByUnwrap(plan: UnwrapPlan, networkFeeLamports: bigint): readonly BalanceChange[] {
  const fee = plan.sponsor === undefined ? networkFeeLamports : 0n;
  return sumByMint([
    { mint: WRAPPED_SOL_MINT, symbol: 'wSOL', decimals: SOL_DECIMALS, amount: 0n - plan.amount },
    { mint: NATIVE.mint, symbol: NATIVE.symbol, decimals: SOL_DECIMALS, amount: plan.gained - fee },
  ]);
}
