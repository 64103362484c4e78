/** Allowed names of an error: a code or a class. A message may contain anything, and is never exported. */
const NAME = /^[A-Za-z][\w.]{0,60}$/;

/** Returns the type of an error for spans and metrics: its code, or else the name of its class. */
export function errorTypeOf(error: unknown): string {
  if (typeof error !== 'object' || error === null) return 'unknown';
  const { code, name } = error as { code?: unknown; name?: unknown };
  if (typeof code === 'string' && NAME.test(code)) return code;
  return typeof name === 'string' && NAME.test(name) ? name : 'unknown';
}
