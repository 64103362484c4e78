/** Writes an array of IDs or numbers as Postgres reads it: pg would check each for characters to escape. */
export function arrayOf<T>(items: readonly T[], valueOf: (item: T) => string | number): string {
  return `{${items.map(valueOf).join(',')}}`;
}
/** Writes Unix milliseconds as Postgres reads them. */
export function timestamp(ms: number): string {
  return new Date(ms).toISOString();
}
