import type { Logger } from '@agent-wallet/platform';
import { setTimeout as pause } from 'node:timers/promises';

const EVERY_MS = 1_000;

/**
 * Does something that cannot work before others are there: again every second, until it works or the time is over. Says
 * what it waits for whenever that changes. @throws the last error
 */
export async function patiently<T>(
  work: () => Promise<T>,
  { withinMs, logger }: { readonly withinMs: number; readonly logger: Logger },
): Promise<T> {
  const untilMs = performance.now() + withinMs;
  let said: string | undefined;
  for (;;) {
    try {
      return await work();
    } catch (error) {
      const { message } = error as Error;
      if (performance.now() > untilMs) throw error;
      if (message !== said) logger.info({ waitsFor: message }, 'not yet');
      said = message;
      await pause(EVERY_MS);
    }
  }
}
