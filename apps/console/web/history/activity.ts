import { useInfiniteQuery } from '@tanstack/react-query';
import { type Api, dataOf } from '../api/client.js';
import type { Transaction } from '../api/records.js';
import { KEYS } from '../api/queries.js';
import type { operations } from '../generated/owner-api.js';
import { useConsole } from '../app/config.js';
import { transactionWords } from './transaction-words.js';

const PAGE_SIZE = 100;

type Action = NonNullable<NonNullable<operations['listOwnedTransactions']['parameters']['query']>['action']>;

/** Has every action of the API once, in the order of the box. */
const IN_ORDER: Readonly<Record<Action, true>> = {
  transfer: true,
  deposit: true,
  trade: true,
  unwrap_sol: true,
  liquidity_add: true,
  liquidity_remove: true,
  prediction_buy: true,
  prediction_sell: true,
  prediction_settlement: true,
  prediction_withdrawal: true,
  policy_update: true,
};

/** Actions to filter by. */
export const ACTIONS = Object.keys(IN_ORDER) as readonly Action[];

/** Reads a page of history. */
export function readPage(api: Api, agentId: string, page: { action: string; cursor: string; signal?: AbortSignal }) {
  const { action, cursor, signal } = page;
  const chosen = ACTIONS.find((each) => each === action);
  const query = { limit: PAGE_SIZE, ...(chosen && { action: chosen }), ...(cursor && { cursor }) };
  return dataOf(api.GET('/owner/agents/{agentId}/history', { params: { path: { agentId }, query }, signal }));
}

/** Reads history page by page. */
export function useActivity(agentId: string, action: string) {
  const { api } = useConsole();
  return useInfiniteQuery({
    queryKey: [...KEYS.agent(agentId), 'history', action],
    queryFn: ({ pageParam, signal }) => readPage(api, agentId, { action, cursor: pageParam, signal }),
    initialPageParam: '',
    getNextPageParam: ({ nextCursor }) => nextCursor ?? undefined,
  });
}

/** Returns the transactions that contain a text. */
export function matching(transactions: readonly Transaction[], search: string): readonly Transaction[] {
  const sought = search.trim().toLowerCase();
  if (sought === '') return transactions;
  return transactions.filter((transaction) => {
    const { action, asset, status, to, signature, amount, id } = transaction;
    const words = transactionWords(transaction);
    return [
      words.title,
      words.detail,
      words.value,
      words.status,
      action.replaceAll('_', ' '),
      asset,
      status.replaceAll('_', ' '),
      to,
      signature,
      String(amount ?? ''),
      id,
    ].some((text) => text?.toLowerCase().includes(sought));
  });
}
