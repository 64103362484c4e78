import { formatAmount, USD_DECIMALS } from '@agent-wallet/kernel';
import { LosslessNumber, parse, stringify } from 'lossless-json';

/** A JSON number that is written with exactly these digits. */
type ExactNumber = LosslessNumber;

/** A value that can be written as exact JSON. */
export type ExactJson =
  | null
  | undefined
  | boolean
  | string
  | number
  | ExactNumber
  | readonly ExactJson[]
  | { readonly [name: string]: ExactJson };

/** Writes JSON: exact numbers keep their digits, undefined fields are left out. */
export function writeJson(value: ExactJson): string {
  return stringify(value) as string;
}

/** Reads JSON that one of our services wrote, keeping the digits of its numbers. @throws SyntaxError */
export function readJson(text: string): ExactJson {
  return parse(text) as ExactJson;
}

/** Returns base units as a number in the token's standard unit: 64 100 000 with 6 decimals is 64.1. */
export function amountNumber(units: bigint, decimals: number): ExactNumber {
  return new LosslessNumber(formatAmount(units, decimals));
}

/** Returns micro-dollars as a number of dollars. */
export function usdNumber(micros: bigint): ExactNumber {
  return amountNumber(micros, USD_DECIMALS);
}

/** Returns basis points as a number of percent. */
export function percentOfBps(bps: number): ExactNumber {
  return amountNumber(BigInt(bps), 2);
}

/** Returns a whole number, exactly. */
export function integerNumber(value: bigint): ExactNumber {
  return new LosslessNumber(value.toString());
}

/** Returns a decimal text as its exact number. */
export function textNumber(text: string): ExactNumber {
  return new LosslessNumber(text);
}

/** Returns Unix milliseconds as ISO 8601 in UTC. */
export function isoTime(unixMs: bigint | number): string {
  return new Date(Number(unixMs)).toISOString();
}
