import { AmountError, AppError, parseUsdPrice, readDecimal, type UsdPrice } from '@agent-wallet/kernel';
import { isLosslessNumber, parse, stringify } from 'lossless-json';

/** A price as the price API gave it: plausible, but of unknown age. */
export interface PriceReading {
  /** US dollars for one whole token, exactly as written. */
  readonly price: UsdPrice;
  /** The price of 24 hours ago where the present one is lower; undefined when it is not, or the API does not say. */
  readonly fallenFrom?: UsdPrice | undefined;
  readonly decimals: number;
  /** Whole dollars of liquidity behind the price, rounded down; null when the API does not say. */
  readonly liquidityUsd: bigint | null;
  /** The slot of the chain that the price stems from; null when the API does not say. */
  readonly blockId: number | null;
  /** Unix milliseconds at which the API was asked. */
  readonly readAtMs: number;
}

/** A price of one whole token outside 10^-18 … 10^12 dollars is a fault. */
const MAX_USD_EXPONENT = 12;
const MIN_USD_EXPONENT = -18;

/** Decimals of a percent to which a fall to nothing is read. */
const MOST_FALL_SCALE = 6;
/** Decimals that the price of 24 hours ago has more than the present one. */
const ADDED_SCALE = 6;

/**
 * Takes an answer of Price v3 apart, digit by digit.
 * @returns the entries of the mints that have one, as JSON
 * @throws AppError UPSTREAM_ERROR when the whole is not a JSON object
 */
export function splitPrices(text: string, mints: ReadonlySet<string>): ReadonlyMap<string, string> {
  const answer = parseObject(text);
  return new Map(
    [...mints].flatMap((mint) => {
      const entry = Object.hasOwn(answer, mint) ? stringify(answer[mint]) : undefined;
      return entry === undefined ? [] : [[mint, entry] as const];
    }),
  );
}

/** Reads a mint's entry of Price v3; undefined when it is wrong in any way. */
export function readPriceEntry(entry: string, readAtMs: number): PriceReading | undefined {
  return readReading(parse(entry), readAtMs);
}

function parseObject(text: string): Record<string, unknown> {
  try {
    const answer = parse(text);
    if (isObject(answer)) return answer;
    throw new Error('the answer of the price API is not an object');
  } catch (error) {
    throw new AppError('UPSTREAM_ERROR', { cause: error });
  }
}

function isObject(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

function readReading(entry: unknown, readAtMs: number): PriceReading | undefined {
  if (!isObject(entry)) return undefined;
  const price = readUsdPrice(entry.usdPrice);
  const decimals = readCount(entry.decimals);
  if (!price || decimals === undefined || decimals > 255) return undefined;
  const liquidityUsd = readWholeDollars(entry.liquidity);
  const fallenFrom = priceBeforeFall(price, entry.priceChange24h);
  return { price, fallenFrom, decimals, liquidityUsd, blockId: readCount(entry.blockId) ?? null, readAtMs };
}

/** Returns the price before a change in percent, rounded up; undefined unless the price fell. */
function priceBeforeFall({ digits, scale }: UsdPrice, change: unknown): UsdPrice | undefined {
  const fall = isLosslessNumber(change) && change.value.startsWith('-') ? readDigits(change.value) : undefined;
  if (!fall || fall.digits === 0n) return undefined;
  const parts = 10n ** BigInt(fall.scale + MOST_FALL_SCALE);
  const left = 100n * parts - fall.digits * 10n ** BigInt(MOST_FALL_SCALE);
  // A fall to nothing is a rounded one.
  const divisor = left > 0n ? left : 10n ** BigInt(fall.scale);
  const dividend = digits * 100n * parts * 10n ** BigInt(ADDED_SCALE);
  return { digits: (dividend + divisor - 1n) / divisor, scale: scale + ADDED_SCALE };
}

function readDigits(text: string) {
  try {
    return readDecimal(text);
  } catch (error) {
    if (error instanceof AmountError) return undefined;
    throw error;
  }
}

function readWholeDollars(value: unknown): bigint | null {
  if (!isLosslessNumber(value)) return null;
  try {
    const { digits, scale } = parseUsdPrice(value.value);
    return digits / 10n ** BigInt(scale);
  } catch (error) {
    if (error instanceof AmountError) return null;
    throw error;
  }
}

function readUsdPrice(value: unknown): UsdPrice | undefined {
  if (!isLosslessNumber(value)) return undefined;
  try {
    const price = parseUsdPrice(value.value);
    return isPlausible(price) ? price : undefined;
  } catch (error) {
    if (error instanceof AmountError) return undefined;
    throw error;
  }
}

/** Reports whether 10^-18 ≤ digits / 10^scale ≤ 10^12. */
function isPlausible({ digits, scale }: UsdPrice): boolean {
  const one = 10n ** BigInt(scale);
  return digits <= one * 10n ** BigInt(MAX_USD_EXPONENT) && digits * 10n ** BigInt(-MIN_USD_EXPONENT) >= one;
}

function readCount(value: unknown): number | undefined {
  if (!isLosslessNumber(value) || !/^\d+$/.test(value.value)) return undefined;
  const count = Number(value.value);
  return Number.isSafeInteger(count) ? count : undefined;
}
