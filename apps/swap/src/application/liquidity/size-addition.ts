import { AppError, baseUnits, baseUnitsOf, formatAmount, insufficientFunds, mintNamed } from '@agent-wallet/kernel';
import { amountsToAdd, liquidityFor, mostWithin } from '@agent-wallet/solana';
import type { AddRequest, LiquidityPlan, PlannedSide } from '../../domain/liquidity/liquidity.js';
import { isNative, type Token } from '../../domain/tokens.js';
import type { HeldSide, Position } from './read-position.js';

/** The size of an addition: liquidity tokens, and what each side takes for them. */
interface SizedAddition {
  readonly liquidity: bigint;
  readonly sides: readonly [PlannedSide, PlannedSide];
}

/** Amounts of a request: the side that it names, and the most of each that may leave; undefined without a limit. */
interface AskedAmounts {
  readonly given: 0 | 1;
  readonly maxima: readonly [bigint | undefined, bigint | undefined];
}

/** Returns the side that a request names by symbol or mint. @throws AppError VALIDATION_ERROR */
function namedSide(sides: readonly [HeldSide, HeldSide], text: string): 0 | 1 {
  const mint = mintNamed(text);
  const found = sides.findIndex(({ token }) => token.mint === mint || token.symbol === text);
  if (found === 0 || found === 1) return found;
  const symbols = sides.map(({ token }) => token.symbol).join(' or ');
  throw AppError.field('token', `must be a token of the pool: ${symbols}`);
}

/**
 * Sizes an addition: as much as the amounts of the request allow even if the pool moves by the tolerance.
 * @param keptLamports lamports that the wallet needs besides, for rent and fee
 * @throws AppError VALIDATION_ERROR, INSUFFICIENT_FUNDS
 */
export function sizeAddition(request: AddRequest, position: Position, keptLamports: bigint): SizedAddition {
  const { pool, sides } = position;
  const { given, maxima } = askedAmounts(request, position);
  const liquidity = liquidityFor(maxima, pool, request.slippageBps);
  const needs = amountsToAdd(liquidity, pool);
  if (liquidity === 0n || needs.includes(0n))
    throw tooLittle(request, position, leastOfPool(position, request.slippageBps));
  const side = (i: 0 | 1): PlannedSide => {
    const available = availableOf(position, i, keptLamports);
    const { token } = sides[i];
    const wanted = i === given ? maxima[given]! : needs[i];
    if (available < wanted) throw lacking(token, available, wanted);
    const most = mostWithin(needs[i], request.slippageBps);
    const bound = [maxima[i], available].reduce<bigint>(
      (least, max) => (max !== undefined && max < least ? max : least),
      most,
    );
    return { token, quoted: baseUnits(needs[i]), bound: baseUnits(bound) };
  };
  return { liquidity, sides: [side(0), side(1)] };
}

function askedAmounts({ token, amount, maxOtherAmount }: AddRequest, { sides }: Position): AskedAmounts {
  const given = namedSide(sides, token);
  const other = given === 0 ? 1 : 0;
  const maxima: [bigint | undefined, bigint | undefined] = [undefined, undefined];
  maxima[given] = baseUnitsOf(amount, sides[given].token.decimals);
  if (maxOtherAmount) maxima[other] = baseUnitsOf(maxOtherAmount, sides[other].token.decimals, 'maxOtherAmount');
  return { given, maxima };
}

/**
 * Refuses a plan for which the wallet lacks tokens at the pool's present reserves: it may have been signed for long after
 * it was sized. Lamports are for `checkLamports` to count.
 * @throws AppError INSUFFICIENT_FUNDS
 */
export function assertFunded({ liquidity, sides: planned }: LiquidityPlan, { pool, sides }: Position): void {
  const needs = amountsToAdd(liquidity, pool);
  planned.forEach(({ token, bound }, i) => {
    const { held } = sides[i]!;
    const needed = needs[i]! < bound ? needs[i]! : bound;
    if (!isNative(token) && held < needed) throw lacking(token, held, needed);
  });
}

/** Returns what of a side may leave: of the native coin all but what the wallet needs besides. */
function availableOf({ sides, minimumLamports, networkFeeLamports }: Position, i: 0 | 1, keptLamports: bigint): bigint {
  const { token, held } = sides[i];
  if (!isNative(token)) return held;
  const free = held - keptLamports - networkFeeLamports - minimumLamports;
  return free > 0n ? free : 0n;
}

function lacking(token: Token, available: bigint, needed: bigint): AppError {
  return insufficientFunds({ ...token, mint: isNative(token) ? '' : token.mint, available }, needed);
}

/** Returns the least of each token for which each side takes at least one base unit. */
function leastOfPool({ pool: { reserves, lpSupply } }: Position, slippageBps: number): readonly [bigint, bigint] {
  const [reserve0, reserve1] = reserves;
  const smaller = reserve0 < reserve1 ? reserve0 : reserve1;
  const liquidity = mostWithin(dividedUp(lpSupply, smaller), slippageBps);
  return [dividedUp(liquidity * reserve0, lpSupply), dividedUp(liquidity * reserve1, lpSupply)];
}

/** Creates the refusal that names the amount that is too little, and its least. */
export function tooLittle(request: AddRequest, position: Position, least: readonly [bigint, bigint]): AppError {
  const { given, maxima } = askedAmounts(request, position);
  const other = given === 0 ? 1 : 0;
  const mostOther = maxima[other];
  const isOther = mostOther !== undefined && mostOther < least[other] && maxima[given]! >= least[given];
  const side = isOther ? other : given;
  const { decimals, symbol } = position.sides[side].token;
  const text = `${formatAmount(least[side], decimals)} ${symbol}`;
  return AppError.field(
    isOther ? 'maxOtherAmount' : 'amount',
    `must be at least about ${text} in this pool`,
    'out_of_range',
  );
}

function dividedUp(dividend: bigint, divisor: bigint): bigint {
  return (dividend + divisor - 1n) / divisor;
}
