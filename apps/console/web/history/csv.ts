import type { Transaction } from '../api/records.js';

const COLUMNS = [
  'createdAt',
  'action',
  'status',
  'amount',
  'asset',
  'to',
  'signature',
  'id',
  'mint',
  'amountRaw',
] as const;
/** First characters that a spreadsheet reads as a formula. */
const FORMULA = /^[=+\-@\t\r]/;
const NUMBER = /^-?\d+(\.\d+)?$/;

/** Writes transactions as CSV (RFC 4180). A cell that a spreadsheet would execute gets an apostrophe in front. */
export function csvOf(transactions: readonly Transaction[]): string {
  const rows = transactions.map((transaction) => {
    const values: Readonly<Record<string, unknown>> = transaction;
    return COLUMNS.map((column) => cell(values[column])).join(',');
  });
  return [COLUMNS.join(','), ...rows, ''].join('\r\n');
}

function cell(value: unknown): string {
  if (typeof value !== 'string' && typeof value !== 'number') return '';
  const text = String(value);
  const safe = FORMULA.test(text) && !NUMBER.test(text) ? `'${text}` : text;
  return /[",\r\n]/.test(safe) ? `"${safe.replaceAll('"', '""')}"` : safe;
}
