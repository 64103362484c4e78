import { showDollars } from '@agent-wallet/kernel/describe-operation';
import { TEXTS } from '../texts.js';

export { shortAddress, showUnits } from '@agent-wallet/kernel/describe-operation';

/** Makes something when it is first needed: formats are slow to make, and the first page needs none. */
function once<Made>(make: () => Made): () => Made {
  let made: Made | undefined;
  return () => (made ??= make());
}

const usdFormat = once(() => new Intl.NumberFormat('en-US', { style: 'currency', currency: 'USD' }));
const exactUsdFormat = once(
  () => new Intl.NumberFormat('en-US', { style: 'currency', currency: 'USD', maximumFractionDigits: 6 }),
);
const amountFormat = once(() => new Intl.NumberFormat('en-US', { maximumFractionDigits: 9 }));
const timeFormat = once(() => new Intl.DateTimeFormat('en-GB', { dateStyle: 'medium', timeStyle: 'short' }));
const shortTimeFormat = once(
  () => new Intl.DateTimeFormat('en-GB', { weekday: 'short', hour: '2-digit', minute: '2-digit' }),
);

/** Shows dollars with cents. */
export function showUsd(value: number): string {
  return usdFormat().format(value);
}

/** Shows dollars of decimal text with cents; something is not shown as nothing. */
export function showRoundedUsd(value: string): string {
  return showDollars(Number(value));
}

/** Shows dollars of decimal text, to the last digit. */
export function showExactUsd(value: string): string {
  return exactUsdFormat().format(value as Intl.StringNumericLiteral);
}

/** Shows an amount in the token's standard unit. */
export function showAmount(value: number): string {
  return amountFormat().format(value);
}

/** Shows a time in the reader's zone. */
export function showTime(time: string | number): string {
  return timeFormat().format(new Date(time));
}

const STEPS: ReadonlyArray<readonly [unit: 'day' | 'hour' | 'minute', ms: number]> = [
  ['day', 86_400_000],
  ['hour', 3_600_000],
  ['minute', 60_000],
];
const TWO_DAYS_MS = 2 * 86_400_000;
const relativeFormat = once(() => new Intl.RelativeTimeFormat('en'));

/** Shows the time until a later time, such as `in 23 hours`; in hours up to two days. */
export function showUntil(time: string, nowMs: number): string {
  const leftMs = Math.max(0, Date.parse(time) - nowMs);
  const [unit, ms] = STEPS.find(([name, each]) => leftMs >= (name === 'day' ? TWO_DAYS_MS : each)) ?? STEPS[2]!;
  return relativeFormat().format(Math.floor(leftMs / ms), unit);
}

const awayFormat = once(() => new Intl.RelativeTimeFormat('en-GB', { style: 'short' }));

/** Shows how far before or after now a time is, such as `2 min ago`; in hours up to two days. */
export function showAway(time: string, nowMs: number): string {
  const awayMs = Date.parse(time) - nowMs;
  const away = Math.abs(awayMs);
  const step = STEPS.find(([name, each]) => away >= (name === 'day' ? TWO_DAYS_MS : each));
  if (!step) return awayMs <= 0 ? TEXTS.justNow : TEXTS.soon;
  return awayFormat().format(Math.sign(awayMs) * Math.floor(away / step[1]), step[0]);
}

/** Shows the day of the week and the time. */
export function showShortTime(time: number): string {
  return shortTimeFormat().format(new Date(time));
}

/** Splits an address in groups of four. */
export function groupsOf(address: string): string[] {
  return address.match(/.{1,4}/gu) ?? [];
}

/** Shows a word of the API, such as `liquidity_add`, as words. */
export function showWord(word: string): string {
  const spaced = word.replaceAll('_', ' ');
  return spaced.charAt(0).toUpperCase() + spaced.slice(1);
}
