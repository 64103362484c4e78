import { useQueryClient } from '@tanstack/react-query';
import { useEffect } from 'react';
import { KEYS } from '../api/queries.js';
import { useConsole } from './config.js';

/** A browser gives up on an answer that is not a stream, such as that of a gateway that is stopping. */
const AGAIN_AFTER_MS = 5_000;

/** Keeps what is shown fresh: each event names an agent, whose data and approvals are read again. */
export function useChanges(): void {
  const { config } = useConsole();
  const queries = useQueryClient();
  useEffect(() => {
    let source: EventSource | undefined;
    let timer: ReturnType<typeof setTimeout> | undefined;
    const open = (): void => {
      source = new EventSource(`${config.apiUrl}/owner/events`, { withCredentials: true });
      // More was missed than is sent again.
      source.addEventListener('reset', () => void queries.invalidateQueries());
      source.addEventListener('change', ({ data }: MessageEvent<string>) => {
        const agentId = agentOf(data);
        if (agentId === undefined) return;
        void queries.invalidateQueries({ queryKey: KEYS.agent(agentId) });
        void queries.invalidateQueries({ queryKey: KEYS.approvals });
      });
      source.addEventListener('error', () => {
        if (source?.readyState !== EventSource.CLOSED) return;
        // Where the session has ended, what is read again leads to the login.
        void queries.invalidateQueries({ queryKey: KEYS.owner });
        timer = setTimeout(open, AGAIN_AFTER_MS);
      });
    };
    open();
    return () => {
      clearTimeout(timer);
      source?.close();
    };
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
