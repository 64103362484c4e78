import type { Logger } from 'pino';

/** The service that a logger speaks for; undefined for one that `createLogger` did not make. */
export function serviceOf(logger: Logger): string | undefined {
  // A test may hand in half a logger.
  const bindings = (logger as Partial<Logger>).bindings?.() as { readonly service?: unknown } | undefined;
  return typeof bindings?.service === 'string' ? bindings.service : undefined;
}
