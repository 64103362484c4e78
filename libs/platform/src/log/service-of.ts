import type { Logger } from './logger.js';

/** Returns the service that a logger belongs to; undefined for a logger that `createLogger` did not create. */
export function serviceOf(logger: Logger): string | undefined {
  // A test may hand in half a logger.
  const service = (logger as Partial<Logger>).bindings?.()['service'];
  return typeof service === 'string' ? service : undefined;
}
