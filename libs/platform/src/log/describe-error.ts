/**
 * Fields of an error that are logged beside its message. Drivers also add values of rows, requests and recipients,
 * which are never logged.
 */
const LOGGED = ['code', 'severity', 'schema', 'table', 'constraint', 'syscall', 'status'] as const;

const MAX_DEPTH = 5;

/** Converts an error and its causes to their form in the log. */
export function describeError(error: unknown, depth = 0): unknown {
  if (!(error instanceof Error)) return error;
  const facts = error as Error & Partial<Record<(typeof LOGGED)[number], unknown>>;
  const logged = LOGGED.flatMap((name) => {
    const value = facts[name];
    return typeof value === 'string' || typeof value === 'number' ? [[name, value] as const] : [];
  });
  return {
    type: error.name,
    message: error.message,
    stack: error.stack,
    ...Object.fromEntries(logged),
    ...(error.cause === undefined || depth >= MAX_DEPTH ? {} : { cause: describeError(error.cause, depth + 1) }),
  };
}
