import { formatAmount } from '@agent-wallet/kernel';
import type { Key } from '../encoding/keys.js';
import type { Account } from './account.js';
import { CLOCK_SYSVAR } from './clock-sysvar.js';
import { isMint, readExtensions, readMint } from './token-layout.js';

/** Numbers of the token-2022 extensions that change what a token amount is shown as. */
const INTEREST_BEARING = 10;
const SCALED_UI_AMOUNT = 25;

/** The token program's year, of 365.24 days. */
const SECONDS_PER_YEAR = 31_556_736;
const BASIS_POINTS = 10_000;
/** Offset of the block's time in the clock sysvar. */
const UNIX_TIME_AT = 32;

type Find = (key: Key) => Account | undefined;

/** Returns a token amount as nodes write it, of a mint that changes nothing of what is shown. */
export function uiTokenAmount(amount: bigint, decimals: number): Record<string, unknown> {
  return shown(amount, decimals, formatAmount(amount, decimals));
}

/**
 * Returns a token amount as nodes write it: `amount` has base units, and the other two are multiplied by the mint's
 * multiplier or its interest up to the time of the block. 0 decimals without the mint.
 *
 * @param find looks an account up in the state that is shown
 */
export function uiAmountOf(amount: bigint, mint: Account | undefined, find: Find): Record<string, unknown> {
  if (!isMint(mint)) return uiTokenAmount(amount, 0);
  const { decimals } = readMint(mint);
  const multiplier = multiplierOf(mint, () => unixTime(find));
  if (multiplier === undefined) return uiTokenAmount(amount, decimals);
  const scaled = Math.trunc(Number(amount) * multiplier) / 10 ** decimals;
  return shown(amount, decimals, trimmed(scaled.toFixed(decimals)));
}

function shown(amount: bigint, decimals: number, text: string): Record<string, unknown> {
  return { amount: amount.toString(), decimals, uiAmount: Number(text), uiAmountString: text };
}

function trimmed(text: string): string {
  return text.includes('.') ? text.replace(/\.?0+$/, '') : text;
}

function unixTime(find: Find): number {
  return Number(find(CLOCK_SYSVAR)?.data.readBigInt64LE(UNIX_TIME_AT) ?? 0n);
}

function multiplierOf(mint: Account, now: () => number): number | undefined {
  for (const { type, value } of readExtensions(mint)) {
    if (type === SCALED_UI_AMOUNT) return scaleOf(value, now());
    if (type === INTEREST_BEARING) return interestOf(value, now());
  }
  return undefined;
}

/** Reads the multiplier in effect: authority, multiplier, time of the next one, next one. */
function scaleOf(value: Buffer, now: number): number {
  return now >= Number(value.readBigInt64LE(40)) ? value.readDoubleLE(48) : value.readDoubleLE(32);
}

/** Compounds the interest: authority, start, rate before the last change, its time, rate since then (basis points). */
function interestOf(value: Buffer, now: number): number {
  const [start, changed] = [Number(value.readBigInt64LE(32)), Number(value.readBigInt64LE(42))];
  const growth = (rate: number, seconds: number): number => (rate * seconds) / (SECONDS_PER_YEAR * BASIS_POINTS);
  return Math.exp(growth(value.readInt16LE(40), changed - start) + growth(value.readInt16LE(50), now - changed));
}
