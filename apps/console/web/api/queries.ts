import { useInfiniteQuery, useQuery, type UseQueryResult } from '@tanstack/react-query';
import { useConsole } from '../app/config.js';
import { type Api, dataOf } from './client.js';
import type { Approval } from './records.js';

/** Keys of the cache, so that an event can invalidate what it concerns. */
export const KEYS = {
  owner: ['owner'],
  ownerSessions: ['owner-sessions'],
  agents: ['agents'],
  agent: (agentId: string) => ['agent', agentId],
  approvals: ['approvals'],
  approval: (approvalId: string) => ['approvals', approvalId],
  connection: (connectionId: string) => ['connections', connectionId],
} as const;

type OfAgent = readonly [agentId: string, signal: AbortSignal];

/** Parameters of a request about an agent, which ends with the query: at the logout none is left under way. */
const path = (...[agentId, signal]: OfAgent) => ({ params: { path: { agentId } }, signal });

/** Reads of one agent, by name. */
const OF_AGENT = {
  details: (api: Api, ...of: OfAgent) => dataOf(api.GET('/owner/agents/{agentId}', path(...of))),
  balances: (api: Api, ...of: OfAgent) => dataOf(api.GET('/owner/agents/{agentId}/balances', path(...of))),
  usage: (api: Api, ...of: OfAgent) => dataOf(api.GET('/owner/agents/{agentId}/usage', path(...of))),
  sessions: (api: Api, ...of: OfAgent) => dataOf(api.GET('/owner/agents/{agentId}/sessions', path(...of))),
  tokens: (api: Api, ...of: OfAgent) => dataOf(api.GET('/owner/agents/{agentId}/tokens', path(...of))),
  owners: (api: Api, ...of: OfAgent) => dataOf(api.GET('/owner/agents/{agentId}/owners', path(...of))),
  recipients: (api: Api, ...of: OfAgent) => dataOf(api.GET('/owner/agents/{agentId}/recipients', path(...of))),
  liquidity: (api: Api, ...of: OfAgent) => dataOf(api.GET('/owner/agents/{agentId}/liquidity/positions', path(...of))),
  predictions: (api: Api, ...of: OfAgent) =>
    dataOf(api.GET('/owner/agents/{agentId}/predictions/positions', path(...of))),
  predictionBalance: (api: Api, ...of: OfAgent) =>
    dataOf(api.GET('/owner/agents/{agentId}/predictions/balance', path(...of))),
} as const;

type Reads = typeof OF_AGENT;

/** Reads something of an agent. */
export function useAgentData<Name extends keyof Reads>(
  name: Name,
  agentId: string | undefined,
): UseQueryResult<Awaited<ReturnType<Reads[Name]>>> {
  const { api } = useConsole();
  return useQuery({
    queryKey: [...KEYS.agent(agentId ?? ''), name],
    queryFn: ({ signal }) => OF_AGENT[name](api, agentId!, signal) as Promise<Awaited<ReturnType<Reads[Name]>>>,
    enabled: agentId !== undefined,
  });
}

/** Reads the owner of the session. */
export function useOwner() {
  const { api } = useConsole();
  return useQuery({ queryKey: KEYS.owner, queryFn: ({ signal }) => dataOf(api.GET('/owner/me', { signal })) });
}

/** Reads the owner's sessions. */
export function useOwnerSessions() {
  const { api } = useConsole();
  return useQuery({
    queryKey: KEYS.ownerSessions,
    queryFn: ({ signal }) => dataOf(api.GET('/owner/sessions', { signal })),
  });
}

/** Reads the owner's agents. */
export function useAgents() {
  const { api } = useConsole();
  return useQuery({ queryKey: KEYS.agents, queryFn: ({ signal }) => dataOf(api.GET('/owner/agents', { signal })) });
}

/** Reads approvals page by page, the latest first: the pending ones alone or all. */
export function useApprovals(state?: 'pending') {
  const { api } = useConsole();
  return useInfiniteQuery({
    queryKey: [...KEYS.approvals, state ?? 'all'],
    queryFn: ({ pageParam: cursor, signal }) => {
      const query = { ...(state && { state }), ...(cursor && { cursor }) };
      return dataOf(api.GET('/owner/approvals', { params: { query }, signal }));
    },
    initialPageParam: '',
    getNextPageParam: ({ nextCursor }) => nextCursor ?? undefined,
    select: ({ pages }) => ({ approvals: pages.flatMap(({ approvals }) => approvals as Approval[]) }),
  });
}

/** Reads an approval with the document to sign. */
export function useApproval(approvalId: string) {
  const { api } = useConsole();
  return useQuery({
    queryKey: KEYS.approval(approvalId),
    queryFn: ({ signal }) =>
      dataOf(api.GET('/owner/approvals/{approvalId}', { params: { path: { approvalId } }, signal })),
  });
}

/** Reads one transaction of an agent. */
export function useTransaction(agentId: string, transactionId: string) {
  const { api } = useConsole();
  return useQuery({
    queryKey: [...KEYS.agent(agentId), 'transaction', transactionId],
    queryFn: ({ signal }) => {
      const params = { path: { agentId, transactionId } };
      return dataOf(api.GET('/owner/agents/{agentId}/history/{transactionId}', { params, signal }));
    },
  });
}

/** Reads the request of an app for a token. */
export function useConnection(connectionId: string) {
  const { api } = useConsole();
  return useQuery({
    queryKey: KEYS.connection(connectionId),
    queryFn: ({ signal }) =>
      dataOf(api.GET('/owner/connections/{connectionId}', { params: { path: { connectionId } }, signal })),
  });
}
