import { textNumber } from '../../application/responses/exact-json.js';
import { historyV1 } from '@agent-wallet/contracts';
import { AppError, isUuid, notFound } from '@agent-wallet/kernel';
import { z } from 'zod';
import { EXPLORER_URL, ID, RECIPIENT, SIGNATURE, USDC } from '../schemas/examples.js';
import { queryCursor, queryInteger } from '../schemas/fields.js';
import { showRequest, showTransaction, transactionRecord } from './transactions.js';
import { filterFields, findCondition, toFilter } from './transaction-filter.js';
import { nullable } from './outcome.js';
import { count } from '../schemas/units.js';
import { defineRoute } from '../route.js';

const METADATA = {
  amountSent: 64.1,
  amountSentRaw: '64100000',
  fee: 0,
  feeRaw: '0',
  feeMode: 'added',
  rentLamports: 0,
  sponsored: false,
  memo: null,
  networkFeeLamports: 5000,
  error: null,
  errorMessage: null,
};

/** A record, as examples show it. */
export const RECORD = {
  id: ID,
  action: 'transfer',
  asset: 'USDC',
  mint: USDC,
  decimals: 6,
  amount: 64.1,
  amountRaw: '64100000',
  to: RECIPIENT,
  signature: SIGNATURE,
  explorerUrl: EXPLORER_URL,
  valueUsd: 64.1,
  status: 'confirmed',
  metadata: METADATA,
  createdAt: '2026-11-21T10:02:00.000Z',
  updatedAt: '2026-11-21T10:02:01.000Z',
};

const ORDERS = ['created', 'recorded'] as const;

const TRANSACTION_ORDERS = {
  created: historyV1.TransactionOrder.TRANSACTION_ORDER_UNSPECIFIED,
  recorded: historyV1.TransactionOrder.TRANSACTION_ORDER_RECORDED,
} as const;

const paginationRecord = z
  .strictObject({
    total: count('All records that match.'),
    totalIsExact: z.boolean().meta({ description: 'False: more may match.' }),
    limit: count('As used.'),
    offset: count('As used; 0 with a cursor.'),
    hasMore: z.boolean(),
  })
  .meta({ id: 'Pagination' });

const transactionPage = z
  .strictObject({
    transactions: z.array(transactionRecord),
    pagination: paginationRecord,
    nextCursor: nullable(
      z.string(),
      '`cursor` of the next page; null at the end. With `order=recorded` it is never null: ask again with it later.',
    ),
  })
  .meta({ id: 'TransactionPage' });

export const historyRoute = defineRoute(
  {
    id: 'listTransactions',
    tool: true,
    method: 'GET',
    path: '/wallets/me/history',
    auth: 'bearer',
    area: 'Wallet',
    summary: 'List transactions, newest first',
    notes:
      'For a copy, `order=recorded` lists every change, the oldest first. Remove what it lists as `dropped`: the chain has undone ' +
      'that deposit. Under a filter a page may be short while `hasMore` is true.',
    query: z.strictObject({
      limit: queryInteger({ min: 1, max: 100, default: 50 }, 'Entries in the answer.'),
      offset: queryInteger({ min: 0, max: 1_000_000_000, default: 0 }, 'Not with `cursor`.'),
      cursor: queryCursor('`nextCursor` of the previous page; omit it for the first.'),
      order: z
        .enum(ORDERS, `must be one of ${ORDERS.join(', ')}`)
        .optional()
        .meta({ description: '`recorded`: oldest change first.' }),
      ...filterFields,
    }),
    response: transactionPage,
    errors: [],
    example: {
      response: {
        transactions: [RECORD],
        pagination: { total: 1, totalIsExact: true, limit: 50, offset: 0, hasMore: false },
        nextCursor: null,
      },
    },
  },
  async ({ input: { query }, caller: { agentId } }, { services: { history }, explorerUrl }) => {
    const { limit, offset, cursor, order, action = '' } = query;
    if (offset > 0 && (cursor !== '' || order === 'recorded')) {
      throw AppError.field('offset', 'cannot be combined with cursor or order=recorded. Omit it.');
    }
    const condition = findCondition(query);
    if (condition && order === 'recorded') {
      throw AppError.field(condition, 'cannot be combined with order=recorded, which lists every change. Omit it.');
    }
    const page = await history.list({
      agentId,
      limit,
      offset,
      action,
      cursor,
      order: TRANSACTION_ORDERS[order ?? 'created'],
      filter: toFilter(query),
    });
    const pagination = {
      total: textNumber(page.total.toString()),
      totalIsExact: !page.isTotalPartial,
      ...{ limit, offset, hasMore: page.hasMore },
    };
    const transactions = page.transactions.map((record) => showTransaction(record, explorerUrl));
    return { data: { transactions, pagination, nextCursor: page.nextCursor || null } };
  },
);

export const transactionRoute = defineRoute(
  {
    id: 'getTransaction',
    tool: true,
    method: 'GET',
    path: '/wallets/me/history/{transactionId}',
    auth: 'bearer',
    area: 'Wallet',
    summary: 'Get a transaction',
    notes: 'Read the outcome of an operation here that was submitted or waits for approval.',
    params: z.strictObject({ transactionId: z.string().meta({ description: '`transactionId` of a response.' }) }),
    response: z.strictObject({ transaction: transactionRecord }).meta({ id: 'TransactionResult' }),
    errors: ['NOT_FOUND'],
    example: { response: { transaction: RECORD } },
  },
  async ({ input: { params }, caller: { agentId } }, { readTransaction, explorerUrl }) => {
    const id = params.transactionId.toLowerCase();
    if (!isUuid(id)) throw notFound('transaction', 'Check its id.');
    const found = await readTransaction.read(agentId, id);
    const transaction =
      'record' in found ? showTransaction(found.record, explorerUrl) : showRequest(found.request, explorerUrl);
    return { data: { transaction } };
  },
);
