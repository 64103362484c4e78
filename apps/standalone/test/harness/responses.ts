import { eventually } from '@agent-wallet/testing';
import type { ClientResponse } from '../../src/index.js';

/** How many answers have each status. */
export function statuses(answers: ReadonlyArray<Pick<ClientResponse<unknown>, 'status'>>): Record<number, number> {
  const counts: Record<number, number> = {};
  for (const { status } of answers) counts[status] = (counts[status] ?? 0) + 1;
  return counts;
}

/** Asks until the answer is final, as skill.md tells: the same key while the outcome is unknown. */
export function untilFinal<Data>(
  ask: () => Promise<ClientResponse<Data>>,
  withinMs = 60_000,
): Promise<ClientResponse<Data>> {
  return eventually(ask, ({ status }) => ![202, 409].includes(status), withinMs);
}

/** Calls so many times at once, by turns at each of the callers. */
export function atOnce<Caller, Answer>(
  count: number,
  callers: readonly Caller[],
  call: (caller: Caller, n: number) => Promise<Answer>,
): Promise<Answer[]> {
  return Promise.all(Array.from({ length: count }, (_, n) => call(callers[n % callers.length]!, n)));
}
