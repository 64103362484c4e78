import type { Logger } from './logger.js';

/** The service that a logger speaks for; undefined for one that `createLogger` did not make. */
export function serviceOf(logger: Logger): string | undefined {
  // A test may hand in half a logger.
  const service = (logger as Partial<Logger>).bindings?.()['service'];
  return typeof service === 'string' ? service : undefined;
}
