import { AppError } from '../errors/app-error.js';
import type { Problem } from '../errors/error-facts.js';

declare const brand: unique symbol;

/** A bigint that only its own constructors make, so that lamports and micro-dollars cannot be mixed up. */
export type Branded<Name extends string> = bigint & { readonly [brand]: Name };

/** An amount of one token in its smallest unit, 0 … 2^64−1 (an SPL amount is a u64). */
export type BaseUnits = Branded<'BaseUnits'>;

export const MAX_BASE_UNITS = 2n ** 64n - 1n;

/** Decimals of the native coin: 1 SOL is 10^9 lamports. */
export const SOL_DECIMALS = 9;
/** Decimals of the liquidity tokens of constant-product pools. */
export const LP_DECIMALS = 9;
/** The largest tolerance of an addition or removal of liquidity, in basis points. */
export const MAX_LIQUIDITY_SLIPPAGE_BPS = 1_000;

/**
 * Takes a bigint as an amount of base units.
 * @throws RangeError when it is not a u64
 */
export function baseUnits(putative: bigint): BaseUnits {
  if (putative < 0n || putative > MAX_BASE_UNITS) throw new RangeError(`not an amount of base units: ${putative}`);
  return putative as BaseUnits;
}

/** Reason why a text is not an amount. */
export type AmountProblem = 'not_a_number' | 'not_positive' | 'too_many_decimals' | 'too_large';

/** A text that is not an amount of the token; `problem` says why. */
export class AmountError extends Error {
  constructor(
    readonly problem: AmountProblem,
    message: string,
  ) {
    super(message);
    this.name = 'AmountError';
  }
}

/** JSON's grammar of a number, with the parts that exact reading needs. */
const DECIMAL = /^(-?)(0|[1-9]\d*)(?:\.(\d+))?(?:[eE]([+-]?\d+))?$/;

/** Longer than any amount that fits; keeps hostile texts from costing time. */
const MAX_TEXT_LENGTH = 100;
const MAX_EXPONENT = 60;

/**
 * Reads a positive amount in the token's standard unit exactly: `"64.1"` with 6 decimals is 64 100 000. Exponents
 * as JSON writes them are understood (`"1e-7"`). Digits that the token cannot hold are refused, never rounded;
 * zeros beyond the decimals are fine.
 * @throws AmountError
 */
export function parseAmount(text: string, decimals: number): BaseUnits {
  return inBaseUnits(readAmount(text), decimals);
}

/**
 * A positive number of a token's standard unit, exactly `digits / 10^scale`: what an amount is until the token's decimals
 * are known.
 */
export interface DecimalAmount {
  readonly digits: bigint;
  readonly scale: number;
}

/** An amount of a request: as people write it, or exact in base units. */
export type RequestedAmount = DecimalAmount | BaseUnits;

function readAmount(text: string): DecimalAmount {
  const { negative, digits, scale } = readDecimal(text);
  if (negative || digits === 0n) throw new AmountError('not_positive', 'must be greater than 0');
  return { digits, scale };
}

function inBaseUnits({ digits, scale }: DecimalAmount, decimals: number): BaseUnits {
  const shift = decimals - scale;
  const units = shift >= 0 ? digits * 10n ** BigInt(shift) : divideExactly(digits, 10n ** BigInt(-shift), decimals);
  if (units > MAX_BASE_UNITS) {
    throw new AmountError('too_large', `must be at most ${formatAmount(MAX_BASE_UNITS, decimals)}`);
  }
  return units as BaseUnits;
}

/** Parses the exact value of a decimal text: `digits / 10^scale`. For texts that are numbers but not yet amounts. */
export function readDecimal(text: string): { negative: boolean; digits: bigint; scale: number } {
  if (text.length > MAX_TEXT_LENGTH)
    throw new AmountError('too_large', `must have at most ${MAX_TEXT_LENGTH} characters`);
  const match = DECIMAL.exec(text);
  if (!match) throw new AmountError('not_a_number', 'must be a plain decimal number');
  const [, sign, whole = '', fraction = '', exponentText = '0'] = match;
  const exponent = Number(exponentText);
  const digits = BigInt(whole + fraction);
  if (digits === 0n) return { negative: false, digits, scale: 0 };
  if (exponent > MAX_EXPONENT) throw new AmountError('too_large', 'is larger than any balance can be');
  if (exponent < -MAX_EXPONENT) throw new AmountError('too_many_decimals', 'has more decimals than the token');
  const scale = fraction.length - exponent;
  return scale >= 0
    ? { negative: sign === '-', digits, scale }
    : { negative: sign === '-', digits: digits * 10n ** BigInt(-scale), scale: 0 };
}

/**
 * Reads the amount of a request, whose token's decimals are not known yet.
 * @param text decimal text in the token's standard unit
 * @throws AppError VALIDATION_ERROR naming `amount`
 */
export function readAmountField(text: string, field = 'amount'): DecimalAmount {
  return orInvalidField(field, () => readAmount(text));
}

/** The fields of a request that name an amount: decimal text, or base units beside an empty text. */
export interface AmountFields {
  readonly amount: string;
  readonly amountRaw?: bigint | undefined;
}

/**
 * Reads an amount that a request names in one of two ways.
 * @param field name of the decimal text; that of the base units ends in `Raw`
 * @throws AppError VALIDATION_ERROR naming the field, also for none and for both
 */
export function readRequestedAmount({ amount, amountRaw }: AmountFields, field = 'amount'): RequestedAmount {
  if (amountRaw === undefined) return readAmountField(amount, field);
  if (amount !== '') throw AppError.field(`${field}Raw`, `must not be given together with ${field}`, 'duplicate');
  if (amountRaw <= 0n || amountRaw > MAX_BASE_UNITS) {
    throw AppError.field(`${field}Raw`, `must be from 1 to ${MAX_BASE_UNITS}`, 'out_of_range');
  }
  return baseUnits(amountRaw);
}

/** Converts the amount of a request to base units. @throws AppError VALIDATION_ERROR naming the field */
export function baseUnitsOf(amount: RequestedAmount, decimals: number, field = 'amount'): BaseUnits {
  if (typeof amount === 'bigint') return amount;
  return orInvalidField(field, () => inBaseUnits(amount, decimals));
}

/** Field problem for each amount problem. */
export const PROBLEM_OF_AMOUNT: Readonly<Record<AmountProblem, Problem>> = {
  not_a_number: 'wrong_type',
  not_positive: 'out_of_range',
  too_many_decimals: 'too_many_decimals',
  too_large: 'out_of_range',
};

function orInvalidField<T>(field: string, read: () => T): T {
  try {
    return read();
  } catch (error) {
    if (error instanceof AmountError) throw AppError.field(field, error.message, PROBLEM_OF_AMOUNT[error.problem]);
    throw error;
  }
}

function divideExactly(digits: bigint, divisor: bigint, decimals: number): bigint {
  if (digits % divisor !== 0n) {
    throw new AmountError('too_many_decimals', `has more decimals than the token, which has ${decimals}`);
  }
  return digits / divisor;
}

/** Writes base units in the token's standard unit without losing a digit and without trailing zeros: `"64.1"`. */
export function formatAmount(units: bigint, decimals: number): string {
  const sign = units < 0n ? '-' : '';
  const digits = (units < 0n ? -units : units).toString().padStart(decimals + 1, '0');
  const whole = digits.slice(0, digits.length - decimals);
  const fraction = digits.slice(digits.length - decimals).replace(/0+$/, '');
  return sign + (fraction ? `${whole}.${fraction}` : whole);
}
