import { useInfiniteQuery } from '@tanstack/react-query';
import { type Api, dataOf } from '../api/client.js';
import type { Transaction } from '../api/records.js';
import { KEYS } from '../api/queries.js';
import { useConsole } from '../app/config.js';

const PAGE_SIZE = 100;

/** Actions to filter by, in the order of the box. */
export const ACTIONS = [
  ...(['transfer', 'deposit', 'trade', 'unwrap_sol', 'liquidity_add', 'liquidity_remove'] as const),
  ...([
    'prediction_buy',
    'prediction_sell',
    'prediction_settlement',
    'prediction_withdrawal',
    'policy_update',
  ] as const),
] as const;

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
  return transactions.filter(({ action, asset, status, to, signature, amount, id }) =>
    [action.replaceAll('_', ' '), asset, status.replaceAll('_', ' '), to, signature, String(amount ?? ''), id].some(
      (text) => text?.toLowerCase().includes(sought),
    ),
  );
}
