/** Unix milliseconds as Postgres reads them. */
export function timestamp(ms: number): string {
  return new Date(ms).toISOString();
}
