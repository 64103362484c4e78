import { type CsvCell, writeCsv } from '@agent-wallet/kernel/csv';
import type { Transaction } from '../api/records.js';
import { metadataOf } from './transaction-words.js';

type Fields = Readonly<{ [field: string]: unknown }>;

/** Columns with the field of the record, or how the value is found in its metadata. */
const COLUMNS: Readonly<{ [column: string]: (record: Fields, metadata: Fields) => unknown }> = {
  ...ofRecord('createdAt', 'action', 'status', 'amount', 'asset', 'to', 'signature', 'id', 'mint', 'amountRaw'),
  valueUsd: ({ valueUsd }, { totalCostDollars, totalProceedsDollars, amountDollars }) =>
    valueUsd ?? totalCostDollars ?? totalProceedsDollars ?? amountDollars,
  // A payment's fee is in the asset, an order's in dollars.
  fee: (_, { fee }) => fee,
  feeUsd: (_, { feeDollars }) => feeDollars,
  memo: (_, { memo }) => memo,
  ticker: (_, { ticker }) => ticker,
  outputToken: ({ action }, { to }) => (action === 'trade' ? to : undefined),
  outputAmount: (_, { outputAmount }) => outputAmount,
};
/** Writes transactions as CSV. */
export function csvOf(transactions: readonly Transaction[]): string {
  const rows = transactions.map((transaction) => {
    const record: Fields = transaction;
    return Object.values(COLUMNS).map((valueIn) => toCell(valueIn(record, metadataOf(transaction))));
  });
  return writeCsv([Object.keys(COLUMNS), ...rows]);
}

function ofRecord(...fields: readonly string[]) {
  return Object.fromEntries(fields.map((field) => [field, (record: Fields) => record[field]]));
}

function toCell(value: unknown): CsvCell {
  return typeof value === 'string' || typeof value === 'number' ? value : undefined;
}
