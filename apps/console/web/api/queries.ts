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
} as const;

const path = (agentId: string) => ({ params: { path: { agentId } } });

/** Reads of one agent, by name. */
const OF_AGENT = {
  details: (api: Api, agentId: string) => dataOf(api.GET('/owner/agents/{agentId}', path(agentId))),
  balances: (api: Api, agentId: string) => dataOf(api.GET('/owner/agents/{agentId}/balances', path(agentId))),
  usage: (api: Api, agentId: string) => dataOf(api.GET('/owner/agents/{agentId}/usage', path(agentId))),
  sessions: (api: Api, agentId: string) => dataOf(api.GET('/owner/agents/{agentId}/sessions', path(agentId))),
  owners: (api: Api, agentId: string) => dataOf(api.GET('/owner/agents/{agentId}/owners', path(agentId))),
  recipients: (api: Api, agentId: string) => dataOf(api.GET('/owner/agents/{agentId}/recipients', path(agentId))),
  liquidity: (api: Api, agentId: string) =>
    dataOf(api.GET('/owner/agents/{agentId}/liquidity/positions', path(agentId))),
  predictions: (api: Api, agentId: string) =>
    dataOf(api.GET('/owner/agents/{agentId}/predictions/positions', path(agentId))),
  predictionBalance: (api: Api, agentId: string) =>
    dataOf(api.GET('/owner/agents/{agentId}/predictions/balance', path(agentId))),
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
    queryFn: () => OF_AGENT[name](api, agentId!) as Promise<Awaited<ReturnType<Reads[Name]>>>,
    enabled: agentId !== undefined,
  });
}

/** Reads the owner of the session. */
export function useOwner() {
  const { api } = useConsole();
  return useQuery({ queryKey: KEYS.owner, queryFn: () => dataOf(api.GET('/owner/me')) });
}

/** Reads the owner's sessions. */
export function useOwnerSessions() {
  const { api } = useConsole();
  return useQuery({ queryKey: KEYS.ownerSessions, queryFn: () => dataOf(api.GET('/owner/sessions')) });
}

/** Reads the owner's agents. */
export function useAgents() {
  const { api } = useConsole();
  return useQuery({ queryKey: KEYS.agents, queryFn: () => dataOf(api.GET('/owner/agents')) });
}

/** Reads approvals page by page, the latest first: the pending ones alone or all. */
export function useApprovals(state?: 'pending') {
  const { api } = useConsole();
  return useInfiniteQuery({
    queryKey: [...KEYS.approvals, state ?? 'all'],
    queryFn: ({ pageParam: cursor }) => {
      const query = { ...(state && { state }), ...(cursor && { cursor }) };
      return dataOf(api.GET('/owner/approvals', { params: { query } }));
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
    queryFn: () => dataOf(api.GET('/owner/approvals/{approvalId}', { params: { path: { approvalId } } })),
  });
}
