/** What an error may be called: a code or a class. A message may contain anything, and is never exported. */
const NAME = /^[A-Za-z][\w.]{0,60}$/;

/** Type of an error for spans and metrics: its code where it has one, or the name of its class. */
export function errorTypeOf(error: unknown): string {
  if (typeof error !== 'object' || error === null) return 'unknown';
  const { code, name } = error as { code?: unknown; name?: unknown };
  if (typeof code === 'string' && NAME.test(code)) return code;
  return typeof name === 'string' && NAME.test(name) ? name : 'unknown';
}
