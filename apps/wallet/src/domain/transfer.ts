import {
  AppError,
  type BalanceChange,
  type BaseUnits,
  baseUnits,
  baseUnitsOf,
  type RequestedAmount,
  sumByMint,
} from '@agent-wallet/kernel';
import { NATIVE } from './token-registry.js';

/** A transfer as the caller wrote it. */
export interface TransferRequest {
  /** The recipient's address. */
  readonly to: string;
  /** Symbol or mint; empty for the native coin. */
  readonly mint: string;
  /** In the token's standard unit. */
  readonly amount: RequestedAmount;
  /** Text for the chain; empty for none. */
  readonly memo: string;
}

/** The token of a transfer. */
interface TransferredToken {
  /** Base58 address of the mint; empty for the native coin. */
  readonly mint: string;
  readonly symbol: string;
  readonly decimals: number;
  /** Base58 address of the program that owns the mint; empty for the native coin. */
  readonly tokenProgram: string;
}

/** The resolved form of a transfer. Fields that do not apply are absent. */
export interface TransferPlan extends TransferredToken {
  /** The amount that the caller asked to send. */
  readonly amount: BaseUnits;
  /** Whether the recipient's token account has to be made. */
  readonly createsRecipientAccount: boolean;
  /** Lamports that this account must hold. */
  readonly rentLamports?: BaseUnits;
  /** The operator's fee, if any. */
  readonly fee?: OperatorFee;
  /** Base58 address of the sponsor, when it pays network fee and rent. */
  readonly sponsor?: string;
  /** The most that the message pays for its place in a block; absent in a quiet market. */
  readonly priorityLamports?: BaseUnits;
  /**
   * The amount that the recipient gets of a token whose mint takes a fee: by the mint's terms at first, and as the
   * chain posted it once it has landed.
   */
  readonly received?: BaseUnits;
}

/** The operator's fee of a transfer. */
export interface OperatorFee {
  /** Base units of the same token, at least 1. */
  readonly amount: BaseUnits;
  /** Base58 address of the operator's fee wallet. */
  readonly recipient: string;
  /** Whether it is taken from the amount instead of added to it. */
  readonly isDeducted: boolean;
}

const MAX_MEMO_BYTES = 256;

/** Returns the plan of a transfer before any read of the chain. @throws AppError VALIDATION_ERROR naming `amount` */
export function transferOf({ amount }: Pick<TransferRequest, 'amount'>, token: TransferredToken): TransferPlan {
  const { mint, symbol, decimals, tokenProgram } = token;
  return {
    mint,
    symbol,
    decimals,
    tokenProgram,
    amount: baseUnitsOf(amount, decimals),
    createsRecipientAccount: false,
  };
}

/** Refuses a memo that is too long. @throws AppError VALIDATION_ERROR naming `memo` */
export function checkMemo({ memo }: Pick<TransferRequest, 'memo'>): void {
  if (Buffer.byteLength(memo) <= MAX_MEMO_BYTES) return;
  throw AppError.field('memo', `must have at most ${MAX_MEMO_BYTES} bytes of UTF-8`, 'too_long');
}

/** Returns the base units that go from the wallet to the recipient. */
export function sentOf({ amount, fee }: TransferPlan): BaseUnits {
  return fee?.isDeducted ? baseUnits(amount - fee.amount) : amount;
}

/** Returns the base units that leave the wallet in all, network fee and rent apart. */
export function leavingOf(plan: TransferPlan): bigint {
  return sentOf(plan) + (plan.fee?.amount ?? 0n);
}

/** Returns the changes that a transfer makes to the sender's wallet. */
export function changesByTransfer(plan: TransferPlan, networkFeeLamports: bigint): readonly BalanceChange[] {
  const costs = plan.sponsor === undefined ? networkFeeLamports + (plan.rentLamports ?? 0n) : 0n;
  const { mint, symbol, decimals } = plan;
  return sumByMint([
    { mint, symbol, decimals, amount: -leavingOf(plan) },
    { mint: NATIVE.mint, symbol: NATIVE.symbol, decimals: NATIVE.decimals, amount: -costs },
  ]);
}
