import { useQueryClient } from '@tanstack/react-query';
import { useEffect } from 'react';
import { KEYS } from '../api/queries.js';
import { useConsole } from './config.js';

/** Keeps what is shown fresh: each event names an agent, whose data and approvals are read again. */
export function useChanges(): void {
  const { config } = useConsole();
  const queries = useQueryClient();
  useEffect(() => {
    const source = new EventSource(`${config.apiUrl}/owner/events`, { withCredentials: true });
    source.addEventListener('change', ({ data }: MessageEvent<string>) => {
      const agentId = agentOf(data);
      if (agentId === undefined) return;
      void queries.invalidateQueries({ queryKey: KEYS.agent(agentId) });
      void queries.invalidateQueries({ queryKey: KEYS.approvals });
    });
    return () => source.close();
  }, [config.apiUrl, queries]);
}

function agentOf(data: string): string | undefined {
  try {
    const { agentId } = JSON.parse(data) as { agentId?: unknown };
    return typeof agentId === 'string' ? agentId : undefined;
  } catch {
    return undefined;
  }
}
