import { formatAmount, USD_DECIMALS } from '@agent-wallet/kernel';
import { amountNumber, type ExactJson, integerNumber } from './exact-json.js';

/** Prices come in micro-dollars, numbers of contracts in hundredths; an agent reads cents and contracts. */

const MICROS_PER_CENT = 10_000n;
const HUNDREDTHS_PER_CONTRACT = 100n;
const CENT_DECIMALS = 4;
const CONTRACT_DECIMALS = 2;

/** Returns whole cents, rounded down. */
export function centsDown(usdMicros: bigint): ExactJson {
  return integerNumber(usdMicros / MICROS_PER_CENT);
}

/** Returns a buyer's price in whole cents, rounded down. */
export function priceDown(usdMicros: bigint): ExactJson {
  return priceCents(usdMicros / MICROS_PER_CENT);
}

/** Returns a seller's price in whole cents, rounded up. */
export function priceUp(usdMicros: bigint): ExactJson {
  return priceCents((usdMicros + MICROS_PER_CENT - 1n) / MICROS_PER_CENT);
}

/** Returns a price in whole cents, rounded to the nearest. */
export function priceNear(usdMicros: bigint): ExactJson {
  return priceCents((usdMicros + MICROS_PER_CENT / 2n) / MICROS_PER_CENT);
}

/** Returns null for a price that rounding turns into nothing or a dollar, at which no contract trades. */
function priceCents(cents: bigint): ExactJson {
  return cents >= 1n && cents <= 99n ? integerNumber(cents) : null;
}

/** Cents with up to four decimals, exactly. */
export function exactCents(usdMicros: bigint): ExactJson {
  return amountNumber(usdMicros, CENT_DECIMALS);
}

/** Dollars as exact text. */
export function dollarsText(usdMicros: bigint): string {
  return formatAmount(usdMicros, USD_DECIMALS);
}

/** Contracts. */
export function contracts(hundredths: bigint): ExactJson {
  return amountNumber(hundredths, CONTRACT_DECIMALS);
}

/** Returns the average price of contracts in cents, to the nearest of four decimals; null without contracts. */
export function averageCents(totalUsdMicros: bigint, hundredths: bigint): ExactJson {
  if (hundredths === 0n) return null;
  return exactCents((2n * totalUsdMicros * HUNDREDTHS_PER_CONTRACT + hundredths) / (2n * hundredths));
}

/** Returns the average price of contracts in dollars, as text, to the nearest micro-dollar; null without contracts. */
export function averageDollars(totalUsdMicros: bigint, hundredths: bigint): string | null {
  if (hundredths === 0n) return null;
  return dollarsText((2n * totalUsdMicros * HUNDREDTHS_PER_CONTRACT + hundredths) / (2n * hundredths));
}

/** Returns the worth of contracts at a price, in micro-dollars, rounded down. */
export function worthUsdMicros(hundredths: bigint, priceUsdMicros: bigint): bigint {
  return (hundredths * priceUsdMicros) / HUNDREDTHS_PER_CONTRACT;
}

/** Returns the shown form of a value, or null where there is none. */
export function orNull<T>(value: T | undefined, show: (value: T) => ExactJson): ExactJson {
  return value === undefined ? null : show(value);
}
