/** One dollar, and what a winning contract pays. */
export const DOLLAR_USD_MICROS = 1_000_000n;

/** Orders name prices in steps of $0.0001. */
export const ORDER_STEP_USD_MICROS = 100n;

const DOLLARS = /^(-?)(\d{1,12})(?:\.(\d{1,6}))?$/;
const CONTRACTS = /^(-?)(\d{1,15})(?:\.(\d{1,2}))?$/;

/** Reads the micro-dollars of a text such as `"0.5600"`; undefined for any other text. */
export function readDollars(text: string): bigint | undefined {
  return read(DOLLARS, text, 6);
}

/** Hundredths of a contract of a text such as `"10.00"`; undefined when it is none. */
export function readContracts(text: string): bigint | undefined {
  return read(CONTRACTS, text, 2);
}

/** Formats a price for an order: four decimals. @throws RangeError when it is below 0 or has more decimals */
export function priceText(usdMicros: bigint): string {
  if (usdMicros < 0n || usdMicros % ORDER_STEP_USD_MICROS !== 0n)
    throw new RangeError(`not a price of an order: ${usdMicros}`);
  return decimal(usdMicros / ORDER_STEP_USD_MICROS, 4);
}

/** Formats a number of contracts for an order: two decimals. @throws RangeError when it is not above 0 */
export function countText(hundredths: bigint): string {
  if (hundredths <= 0n) throw new RangeError(`not a number of contracts: ${hundredths}`);
  return decimal(hundredths, 2);
}

function read(shape: RegExp, text: string, decimals: number): bigint | undefined {
  const match = shape.exec(text);
  if (!match) return undefined;
  const [, sign, whole = '', fraction = ''] = match;
  const size = BigInt(whole + fraction.padEnd(decimals, '0'));
  return sign ? -size : size;
}

function decimal(units: bigint, decimals: number): string {
  const digits = units.toString().padStart(decimals + 1, '0');
  return `${digits.slice(0, -decimals)}.${digits.slice(-decimals)}`;
}
