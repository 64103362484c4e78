import { plain } from './view.js';

/** First characters that a spreadsheet reads as a formula. */
const FORMULA = /^[=+\-@]/;
const NUMBER = /^-?\d+(\.\d+)?$/;

/** Writes CSV (RFC 4180). Text that a spreadsheet would execute gets an apostrophe in front. */
export function csvOf(names: readonly string[], rows: readonly (readonly (string | null | undefined)[])[]): string {
  return [names, ...rows].map((row) => `${row.map(cell).join(',')}\r\n`).join('');
}

function cell(value: string | null | undefined): string {
  // A line break is data; other controls would steer a terminal.
  const text = (value ?? '').split('\n').map(plain).join('\n');
  const safe = FORMULA.test(text) && !NUMBER.test(text) ? `'${text}` : text;
  return /[",\n]/.test(safe) ? `"${safe.replaceAll('"', '""')}"` : safe;
}
