import { AmountError, type Branded, readDecimal } from './amount.js';

/** US dollars in millionths: $1 is 1 000 000. Never negative. */
export type UsdMicros = Branded<'UsdMicros'>;

/** Decimals of a micro-dollar amount. */
export const USD_DECIMALS = 6;

/** Larger than any policy allows; a value above it is a mistake or an attack. */
const MAX_USD_MICROS = 2n ** 63n - 1n;

/** Takes a bigint as micro-dollars. @throws RangeError when it is negative or no int64 */
export function usdMicros(putative: bigint): UsdMicros {
  if (putative < 0n || putative > MAX_USD_MICROS) throw new RangeError(`not an amount of micro-dollars: ${putative}`);
  return putative as UsdMicros;
}

/** The price of one whole token in US dollars, exactly: `digits / 10^scale`. Always above 0. */
export interface UsdPrice {
  readonly digits: bigint;
  readonly scale: number;
}

/** Reads a price from its decimal text. @throws AmountError when it is not a positive, finite number */
export function parseUsdPrice(text: string): UsdPrice {
  const { negative, digits, scale } = readDecimal(text);
  if (negative || digits === 0n) throw new AmountError('not_positive', 'must be greater than 0');
  return { digits, scale };
}

/** Rounding of a value that falls between two micro-dollars. */
export type Rounding = 'up' | 'down';

/**
 * Computes the value of an amount in micro-dollars. Round up for limits: a fraction counts.
 * @throws RangeError when the value is not an int64
 */
export function valueInUsd(units: bigint, token: { decimals: number; price: UsdPrice }, rounding: Rounding): UsdMicros {
  const numerator = units * token.price.digits * 10n ** BigInt(USD_DECIMALS);
  const denominator = 10n ** BigInt(token.decimals + token.price.scale);
  const floor = numerator / denominator;
  return usdMicros(rounding === 'up' && numerator % denominator !== 0n ? floor + 1n : floor);
}

/** Reads a dollar amount with at most 6 decimals from its decimal text. @throws AmountError */
export function parseUsd(text: string): UsdMicros {
  const { negative, digits, scale } = readDecimal(text);
  if (negative) throw new AmountError('not_positive', 'must not be negative');
  const shift = USD_DECIMALS - scale;
  if (shift < 0 && digits % 10n ** BigInt(-shift) !== 0n) {
    throw new AmountError('too_many_decimals', 'must have at most 6 decimals');
  }
  const micros = shift >= 0 ? digits * 10n ** BigInt(shift) : digits / 10n ** BigInt(-shift);
  if (micros > MAX_USD_MICROS) throw new AmountError('too_large', 'is too large');
  return micros as UsdMicros;
}
