import { useQueryClient } from '@tanstack/react-query';
import { useEffect, useRef } from 'react';
import { KEYS } from '../api/queries.js';
import { useConsole } from './config.js';

/** A browser gives up on an answer that is not a stream, such as that of a gateway that is stopping. */
const AGAIN_AFTER_MS = 5_000;

/**
 * Keeps what is shown fresh: each event names an agent, whose data and approvals are read again.
 * @returns how it is stopped, so that nothing is read any more when the session ends
 */
export function useChanges(): () => void {
  const stop = useRef(() => {});
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
    stop.current = () => {
      clearTimeout(timer);
      source?.close();
    };
    return () => stop.current();
  }, [config.apiUrl, queries]);
  return () => stop.current();
}

function agentOf(data: string): string | undefined {
  try {
    const { agentId } = JSON.parse(data) as { agentId?: unknown };
    return typeof agentId === 'string' ? agentId : undefined;
  } catch {
    return undefined;
  }
}
