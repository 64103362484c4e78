import {
  AppError,
  type BalanceChange,
  type BaseUnits,
  type RequestedAmount,
  LP_DECIMALS,
  MAX_LIQUIDITY_SLIPPAGE_BPS,
  SOL_DECIMALS,
  sumByMint,
} from '@agent-wallet/kernel';
import { isNative, NATIVE_MINT, type Token } from '../tokens.js';
import type { Unwrapped } from '../trade.js';

/** An addition as the caller wrote it. */
export interface AddRequest {
  /** Base58 address of the pool. */
  readonly pool: string;
  /** Symbol or mint of the token that the amount is of. */
  readonly token: string;
  /** The most of it that may leave, in its standard unit. */
  readonly amount: RequestedAmount;
  /** The most of the other token that may leave; absent for all that the wallet holds. */
  readonly maxOtherAmount?: RequestedAmount;
  readonly slippageBps: number;
}

/** A removal as the caller wrote it: of a share of the position, or of so many liquidity tokens. */
export interface RemoveRequest {
  /** Base58 address of the pool. */
  readonly pool: string;
  /** Hundredths of a percent. */
  readonly percentBps?: number;
  /** Base units. */
  readonly liquidity?: BaseUnits;
  readonly slippageBps: number;
}

/** A token of a pool, and how much of it moves. */
export interface PlannedSide {
  readonly token: Token;
  /** Base units that the pool takes or pays at its present reserves, after the mint's own fee. */
  readonly quoted: BaseUnits;
  /** Base units: the most that may leave, or the least that must arrive. */
  readonly bound: BaseUnits;
}

/** Resolved addition or removal. */
export interface LiquidityPlan {
  /** Base58 address of the wallet. */
  readonly wallet: string;
  readonly pool: string;
  readonly config: string;
  readonly lpMint: string;
  /** The two sides, in the order of the pool. */
  readonly sides: readonly PlannedSide[];
  /** Base units of liquidity tokens that are minted or burned. */
  readonly liquidity: BaseUnits;
  /** Base units of liquidity tokens that the wallet held before. */
  readonly held: BaseUnits;
  /** Lamports that the wallet puts into new accounts of its own that stay. */
  readonly rentLamports: BaseUnits;
  /** Lamports that the network takes. */
  readonly feeLamports: BaseUnits;
  /** Wrapped SOL from before that is unwrapped along. */
  readonly unwrapped?: Unwrapped;
  /** Amounts that really moved, in the order of the sides. */
  readonly landed?: readonly BaseUnits[];
}

const ALL_BPS = 10_000;

/** Refuses an addition that can be refused without asking anyone. @throws AppError VALIDATION_ERROR, INVALID_ADDRESS */
export function checkAddition({ pool, slippageBps }: AddRequest, isAddress: (text: string) => boolean): void {
  checkCommon({ pool, slippageBps, field: 'pool' }, isAddress);
}

/** Refuses a removal that can be refused without asking anyone. @throws AppError VALIDATION_ERROR, INVALID_ADDRESS */
export function checkRemoval(request: RemoveRequest, isAddress: (text: string) => boolean): void {
  const { pool, percentBps, liquidity, slippageBps } = request;
  checkCommon({ pool, slippageBps, field: 'positionId' }, isAddress);
  if ((percentBps === undefined) === (liquidity === undefined)) {
    throw AppError.field('percent', 'or liquidityRaw must be given, but not both', 'required');
  }
  if (percentBps !== undefined && !(percentBps >= 1 && percentBps <= ALL_BPS)) {
    throw AppError.field('percent', 'must be above 0 and at most 100', 'out_of_range');
  }
  if (liquidity === 0n) throw AppError.field('liquidityRaw', 'must be above 0', 'out_of_range');
}

function checkCommon(
  { pool, slippageBps, field }: { readonly pool: string; readonly slippageBps: number; readonly field: string },
  isAddress: (text: string) => boolean,
): void {
  if (!isAddress(pool)) throw AppError.field(field, 'must be the address of a pool');
  if (!Number.isInteger(slippageBps) || slippageBps < 1 || slippageBps > MAX_LIQUIDITY_SLIPPAGE_BPS) {
    throw AppError.field('slippageBps', `must be an integer from 1 to ${MAX_LIQUIDITY_SLIPPAGE_BPS}`, 'out_of_range');
  }
}

/** Returns the share of a position, rounded down, but all of it for 100 %. */
export function shareOf(held: bigint, percentBps: number): bigint {
  return (held * BigInt(percentBps)) / BigInt(ALL_BPS);
}

/** Returns the balance changes of an addition (1) or a removal (-1), by its quote. */
export function changesByLiquidity(plan: LiquidityPlan, direction: 1n | -1n): readonly BalanceChange[] {
  const { sides, liquidity, lpMint, feeLamports, rentLamports, unwrapped } = plan;
  return sumByMint([
    ...sides.map(({ token, quoted }) => ({ ...shown(token), amount: -direction * quoted })),
    { mint: lpMint, symbol: 'LP', decimals: LP_DECIMALS, amount: direction * liquidity },
    {
      mint: '',
      symbol: 'SOL',
      decimals: SOL_DECIMALS,
      amount: (unwrapped?.lamports ?? 0n) - feeLamports - rentLamports,
    },
    { mint: NATIVE_MINT, symbol: 'wSOL', decimals: SOL_DECIMALS, amount: 0n - (unwrapped?.units ?? 0n) },
  ]);
}

function shown(token: Token): Pick<BalanceChange, 'mint' | 'symbol' | 'decimals'> {
  return { mint: isNative(token) ? '' : token.mint, symbol: token.symbol, decimals: token.decimals };
}
