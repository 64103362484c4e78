import { historyV1 } from '@agent-wallet/contracts';
import { type CsvCell, writeCsv } from '@agent-wallet/kernel';
import { LosslessNumber } from 'lossless-json';
import { z } from 'zod';
import type { ExactJson } from '../../application/responses/exact-json.js';
import type { HistoryService } from '../../ports/services.js';
import { PlainResponse } from '../response.js';
import { defineRoute } from '../route.js';
import { queryCursor } from '../schemas/fields.js';
import { RECORD } from './history-routes.js';
import { nullable } from './outcome.js';
import { filterFields, toFilter } from './transaction-filter.js';
import { showTransaction, transactionRecord } from './transactions.js';

const FORMATS = ['csv', 'json'] as const;

/** Pages of history in one export, 1,000 records: it counts as one request, so that it must not cost others much. */
const MAX_PAGES = 10;
const PAGE_SIZE = 100;

const COLUMNS = [
  ...['createdAt', 'action', 'status', 'amount', 'asset', 'valueUsd', 'to', 'signature', 'id', 'mint', 'amountRaw'],
  'updatedAt',
];
/** Columns of the metadata, which the records of some actions have. */
const METADATA_COLUMNS = ['memo', 'ticker'];

type Shown = Readonly<Record<string, ExactJson>>;

export const exportRoute = defineRoute(
  {
    id: 'getTransactionExport',
    method: 'GET',
    path: '/wallets/me/history/export',
    auth: 'bearer',
    area: 'Wallet',
    summary: 'Get many transactions, as CSV or JSON',
    notes:
      'Newest first, 1,000 at most; `nextCursor` or the header `Next-Cursor` goes on. A cell of CSV that a spreadsheet would execute begins with an apostrophe.',
    query: z.strictObject({
      format: z
        .enum(FORMATS, `must be one of ${FORMATS.join(', ')}`)
        .optional()
        .meta({ description: 'By default `json`.' }),
      cursor: queryCursor('`nextCursor` of the previous export; omit it for the first.'),
      ...filterFields,
    }),
    response: z
      .strictObject({
        transactions: z.array(transactionRecord),
        nextCursor: nullable(z.string(), '`cursor` of the rest; null at the end.'),
      })
      .meta({ id: 'TransactionExport' }),
    download: 'text/csv',
    headers: ['Next-Cursor'],
    errors: [],
    example: { response: { transactions: [RECORD], nextCursor: null } },
  },
  async ({ input: { query }, caller: { agentId } }, { services: { history }, explorerUrl }) => {
    const { action = '', cursor, format } = query;
    const found = await readPages(history, { agentId, action, cursor, filter: toFilter(query) });
    const transactions = found.records.map((record) => showTransaction(record, explorerUrl));
    const { nextCursor } = found;
    if (format !== 'csv') return { data: { transactions, nextCursor: nextCursor || null } };
    const headers = {
      'cache-control': 'no-store',
      'content-disposition': 'attachment; filename="history.csv"',
      ...(nextCursor ? { 'next-cursor': nextCursor } : {}),
    };
    return new PlainResponse(200, headers, Buffer.from(toCsv(transactions)));
  },
);

type Part = Pick<historyV1.ListTransactionsRequest, 'agentId' | 'action' | 'cursor' | 'filter'>;

async function readPages(history: HistoryService, part: Part) {
  const records: historyV1.Transaction[] = [];
  const order = historyV1.TransactionOrder.TRANSACTION_ORDER_UNSPECIFIED;
  let nextCursor = part.cursor;
  for (let pages = 0; pages < MAX_PAGES; pages += 1) {
    const page = await history.list({ ...part, limit: PAGE_SIZE, offset: 0, order, cursor: nextCursor });
    records.push(...page.transactions);
    ({ nextCursor } = page);
    if (nextCursor === '') break;
  }
  return { records, nextCursor };
}

function toCsv(transactions: readonly Shown[]): string {
  const rows = transactions.map((record) => {
    const metadata = record.metadata as Shown;
    return [...COLUMNS.map((name) => toCell(record[name])), ...METADATA_COLUMNS.map((name) => toCell(metadata[name]))];
  });
  return writeCsv([[...COLUMNS, ...METADATA_COLUMNS], ...rows]);
}

function toCell(value: ExactJson): CsvCell {
  if (value instanceof LosslessNumber) return value.value;
  return typeof value === 'string' || typeof value === 'number' ? value : undefined;
}
