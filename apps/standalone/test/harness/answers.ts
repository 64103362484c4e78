import type { ApiAnswer } from '../../src/index.js';

/** How many answers have each status. */
export function statuses(answers: ReadonlyArray<Pick<ApiAnswer<unknown>, 'status'>>): Record<number, number> {
  const counts: Record<number, number> = {};
  for (const { status } of answers) counts[status] = (counts[status] ?? 0) + 1;
  return counts;
}

/** Calls so many times at once, by turns at each of the callers. */
export function atOnce<Caller, Answer>(
  count: number,
  callers: readonly Caller[],
  call: (caller: Caller, n: number) => Promise<Answer>,
): Promise<Answer[]> {
  return Promise.all(Array.from({ length: count }, (_, n) => call(callers[n % callers.length]!, n)));
}
