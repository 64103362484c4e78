import { AmountError, readDecimal } from '@agent-wallet/kernel';
import type { FeeTerms } from './fee-terms.js';
import { DOLLAR_USD_MICROS } from './fixed-point.js';

/** 0.07: what takers pay where the multiplier is 1. */
const TAKER_RATE_PPM = 70_000n;
/** Fees are rounded up to this. */
const FEE_STEP_USD_MICROS = 100n;
/** Rebate threshold: the balance lost to rounding over an order comes back as soon as it exceeds this. */
const REBATE_USD_MICROS = 10_000n;
/** The coarsest step to which one fill's change of the balance is rounded: members of the exchange have $0.0001. */
const BALANCE_STEP_USD_MICROS = 10_000n;
const HUNDREDTHS = 100n;
const MILLION = 1_000_000n;

/** Fee types whose takers pay the quadratic fee; makers do not concern us. */
const QUADRATIC = new Set(['quadratic', 'quadratic_with_maker_fees', 'quadratic_with_combo_maker_fees']);

/** Prices of one side, in micro-dollars, both ends included. */
interface PriceSpan {
  readonly fromUsdMicros: bigint;
  readonly toUsdMicros: bigint;
}

/**
 * Returns the terms of a fee type and its multiplier; undefined for those that this library cannot calculate.
 * @param multiplier decimal text
 */
export function feeTermsOf(feeType: string, multiplier: string): FeeTerms | undefined {
  if (!QUADRATIC.has(feeType)) return undefined;
  try {
    const { negative, digits, scale } = readDecimal(multiplier);
    return negative ? undefined : { takerRatePpm: divideUp(TAKER_RATE_PPM * digits, 10n ** BigInt(scale)) };
  } catch (error) {
    if (error instanceof AmountError) return undefined;
    throw error;
  }
}

/**
 * Reports whether a fill can have this fee. It is at most C·P·(1−P), which is a rate of 100 %, plus a rounding. No
 * rebate exceeds its threshold.
 */
export function isPossibleFee(feeUsdMicros: bigint, fill: { priceUsdMicros: bigint; count: bigint }): boolean {
  const most = roundedFee({ takerRatePpm: MILLION }, fill.count, fill.priceUsdMicros) + BALANCE_STEP_USD_MICROS;
  return feeUsdMicros >= -REBATE_USD_MICROS && feeUsdMicros <= most;
}

/** Computes the exchange's fee for one fill, before it rounds the balance: ⌈rate·C·P·(1−P)⌉ to $0.0001. */
export function takerFeeUsdMicros(terms: FeeTerms, fill: { priceUsdMicros: bigint; count: bigint }): bigint {
  return roundedFee(terms, fill.count, fill.priceUsdMicros);
}

/** Returns the highest fee for this number of contracts when each is filled somewhere in the span, without rounding. */
export function worstTakerFeeUsdMicros(terms: FeeTerms, count: bigint, span: PriceSpan): bigint {
  const half = DOLLAR_USD_MICROS / 2n;
  const { fromUsdMicros: from, toUsdMicros: to } = span;
  // P·(1−P) rises up to a half and falls behind it.
  return roundedFee(terms, count, to < half ? to : from > half ? from : half);
}

/**
 * Returns the amount that rounding can add to an order's fees. Each fill's fee is rounded up, and the rounding of the
 * balance is bounded by the rebate. Counts a fill for each contract that was begun; fills are hardly ever smaller.
 */
export function roundingAllowanceUsdMicros(count: bigint): bigint {
  const fills = divideUp(count, HUNDREDTHS);
  return fills * FEE_STEP_USD_MICROS + REBATE_USD_MICROS + BALANCE_STEP_USD_MICROS;
}

function roundedFee({ takerRatePpm }: FeeTerms, count: bigint, price: bigint): bigint {
  const exact = takerRatePpm * count * price * (DOLLAR_USD_MICROS - price);
  return divideUp(exact, MILLION * HUNDREDTHS * DOLLAR_USD_MICROS * FEE_STEP_USD_MICROS) * FEE_STEP_USD_MICROS;
}

function divideUp(dividend: bigint, divisor: bigint): bigint {
  return (dividend + divisor - 1n) / divisor;
}
