import {
  AppError,
  assertUuid,
  type BalanceChange,
  type BaseUnits,
  MAX_BASE_UNITS,
  NAMED_TOKENS,
  neededLamports,
  sumByMint,
} from '@agent-wallet/kernel';
import { NATIVE } from './token-registry.js';

/** The only token of moves to the treasury and back. */
export const USDC = NAMED_TOKENS.find(({ symbol }) => symbol === 'USDC')!;

/** USDC between an agent's wallet and the treasury: one attempt of one step of another service's operation. */
export interface MoveRequest {
  /** UUID, of the other service. */
  readonly operationId: string;
  /** From 1. */
  readonly step: number;
  /** From 1, within the step. */
  readonly attempt: number;
  /** Escrow: to the treasury; payout: from it. */
  readonly direction: 'escrow' | 'payout';
  /** Base units of USDC. */
  readonly amount: bigint;
  /**
   * The order that an escrow pays for, on which policy decides; absent for a payout, and where the caller names none.
   */
  readonly order?: EscrowOrder;
}

/** An order that an escrow pays for, as its buyer has planned it. Money in micro-dollars. */
export interface EscrowOrder {
  readonly ticker: string;
  readonly side: string;
  /** Hundredths of contracts. */
  readonly count: bigint;
  /** For one contract. */
  readonly maxPriceUsdMicros: bigint;
  /** For all, with the exchange's fee: what the escrow moves. */
  readonly maxCostUsdMicros: bigint;
}

/** The resolved form of a move. */
export interface MovePlan {
  /** The number under which policy permits it: attempts that policy never heard of do not count. */
  readonly permitAttempt: number;
  /** Base58 address of the sponsor, when it pays the network fee of an escrow. */
  readonly sponsor?: string;
  /** The most that the message pays for its place in a block; absent in a quiet market. */
  readonly priorityLamports?: BaseUnits;
  /** Lamports that the treasury puts into the wallet's new token account. */
  readonly rentLamports?: BaseUnits;
}

/** More would be a fault of the caller, and attempts look back at those before them. */
const MAX_COUNT = 100;

/**
 * Refuses a move that can be refused without asking anyone.
 * @throws AppError VALIDATION_ERROR
 */
export function checkMove(request: MoveRequest): void {
  const { operationId, step, attempt, direction, amount } = request;
  assertUuid('operationId', operationId);
  if (step < 1 || step > MAX_COUNT) throw AppError.field('step', `must be from 1 to ${MAX_COUNT}`);
  if (attempt < 1 || attempt > MAX_COUNT) throw AppError.field('attempt', `must be from 1 to ${MAX_COUNT}`);
  if (direction === 'escrow' && step !== 1)
    throw AppError.field('step', 'must be 1 for an escrow: it makes the reservation');
  if (amount <= 0n || amount > MAX_BASE_UNITS) throw AppError.field('amount', 'must be positive');
}

/** The treasury's holdings, and the costs of a payout. */
interface TreasuryFunds {
  /** Base units. */
  readonly units: bigint;
  readonly lamports: bigint;
  readonly networkFeeLamports: bigint;
  readonly rentLamports: bigint;
  /** The least that it may hold, unless it holds nothing. */
  readonly minimumLamports: bigint;
}

/** Reports whether the treasury covers a payout. */
export function covers(treasury: TreasuryFunds, amount: bigint): boolean {
  const { units, lamports: held, networkFeeLamports: networkFee, rentLamports: other, minimumLamports } = treasury;
  return units >= amount && neededLamports({ held, networkFee, other, minimum: minimumLamports }) === undefined;
}

/** Returns the changes that a move makes to the agent's wallet. */
export function changesByMove(
  request: MoveRequest,
  plan: MovePlan,
  networkFeeLamports: bigint,
): readonly BalanceChange[] {
  const { mint, symbol, decimals } = USDC;
  const { amount } = request;
  if (request.direction === 'payout') return [{ mint, symbol, decimals, amount }];
  const fee = plan.sponsor === undefined ? networkFeeLamports : 0n;
  return sumByMint([
    { mint, symbol, decimals, amount: 0n - amount },
    { mint: NATIVE.mint, symbol: NATIVE.symbol, decimals: NATIVE.decimals, amount: -fee },
  ]);
}
