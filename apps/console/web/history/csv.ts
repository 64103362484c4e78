import type { Transaction } from '../api/records.js';
import { metadataOf } from './transaction-words.js';

type Fields = Readonly<{ [field: string]: unknown }>;

/** Columns with the field of the record, or how the value is found in its metadata. */
const COLUMNS: Readonly<{ [column: string]: (record: Fields, metadata: Fields) => unknown }> = {
  ...ofRecord('createdAt', 'action', 'status', 'amount', 'asset', 'to', 'signature', 'id', 'mint', 'amountRaw'),
  valueUsd: (_, { totalCostDollars, totalProceedsDollars, amountDollars }) =>
    totalCostDollars ?? totalProceedsDollars ?? amountDollars,
  // A payment's fee is in the asset, an order's in dollars.
  fee: (_, { fee }) => fee,
  feeUsd: (_, { feeDollars }) => feeDollars,
  memo: (_, { memo }) => memo,
  ticker: (_, { ticker }) => ticker,
  outputToken: ({ action }, { to }) => (action === 'trade' ? to : undefined),
  outputAmount: (_, { outputAmount }) => outputAmount,
};
/** First characters that a spreadsheet reads as a formula. */
const FORMULA = /^[=+\-@\t\r]/;
const NUMBER = /^-?\d+(\.\d+)?$/;

/** Writes transactions as CSV (RFC 4180). A cell that a spreadsheet would execute gets an apostrophe in front. */
export function csvOf(transactions: readonly Transaction[]): string {
  const rows = transactions.map((transaction) => {
    const record: Fields = transaction;
    return Object.values(COLUMNS)
      .map((valueIn) => cell(valueIn(record, metadataOf(transaction))))
      .join(',');
  });
  return [Object.keys(COLUMNS).join(','), ...rows, ''].join('\r\n');
}

function ofRecord(...fields: readonly string[]) {
  return Object.fromEntries(fields.map((field) => [field, (record: Fields) => record[field]]));
}

function cell(value: unknown): string {
  if (typeof value !== 'string' && typeof value !== 'number') return '';
  const text = String(value);
  const safe = FORMULA.test(text) && !NUMBER.test(text) ? `'${text}` : text;
  return /[",\r\n]/.test(safe) ? `"${safe.replaceAll('"', '""')}"` : safe;
}
