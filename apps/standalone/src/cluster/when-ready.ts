import { withRetry } from '@agent-wallet/kernel';
import type { Logger } from '@agent-wallet/platform';

const RETRY_MS = 1_000;

/**
 * Does something that cannot work before others are there: again every second, until it works or the time is over. Logs
 * what it waits for whenever that changes. @throws the last error
 */
export function whenReady<T>(
  work: () => Promise<T>,
  { withinMs, logger }: { readonly withinMs: number; readonly logger: Logger },
): Promise<T> {
  const untilMs = performance.now() + withinMs;
  let logged: string | undefined;
  return withRetry(work, (error) => {
    if (performance.now() > untilMs) return undefined;
    const { message } = error as Error;
    if (message !== logged) logger.info({ event: 'dependency.awaited', reason: message }, 'Waiting for a dependency');
    logged = message;
    return RETRY_MS;
  });
}
