/** An array of ids or numbers as Postgres reads it: pg would look at each for characters to escape. */
export function arrayOf<T>(items: readonly T[], valueOf: (item: T) => string | number): string {
  return `{${items.map(valueOf).join(',')}}`;
}
/** Unix milliseconds as Postgres reads them. */
export function timestamp(ms: number): string {
  return new Date(ms).toISOString();
}
