import { setTimeout as sleep } from 'node:timers/promises';
import { inspect } from 'node:util';

/**
 * The sum of pauses after which a wait fails. Only the pauses count, each with the length that it was meant to have: time
 * that reading takes, or for which a busy machine runs something else, uses up nothing. It fails before a test does by
 * itself, and names what it waited for.
 */
const WITHIN_MS = 60_000;
/** The first pause between two polls. Pauses grow, since polls use up CPU and rate limits of what is polled. */
const POLL_MS = 10;
const MAX_POLL_MS = 200;
const POLL_GROWTH = 1.5;

type Present<Reading> = Exclude<Reading, undefined | false>;

/**
 * Polls a condition until it is true, or a reading until there is one (neither `undefined` nor `false`), or until it
 * satisfies; resolves with the last reading. What the reading throws is thrown on.
 *
 * @param withinMs the sum of pauses after which it fails; not wall time
 * @throws Error with the last reading when it does not come true in time
 * @example
 * await eventually(async () => (await count()) === 0);
 * const { body } = await eventually(() => get('/history'), ({ status }) => status === 200);
 */
export function eventually<Reading>(
  read: () => Reading | Promise<Reading>,
  withinMs?: number,
): Promise<Present<Reading>>;
export function eventually<Reading>(
  read: () => Reading | Promise<Reading>,
  isSatisfied: (reading: Reading) => boolean,
  withinMs?: number,
  pollMs?: number,
): Promise<Reading>;
export async function eventually<Reading>(
  read: () => Reading | Promise<Reading>,
  second: number | ((reading: Reading) => boolean) = WITHIN_MS,
  third = WITHIN_MS,
  pollMs = POLL_MS,
): Promise<Reading> {
  const [isSatisfied, withinMs] = typeof second === 'number' ? [isPresent, second] : [second, third];
  let pausedMs = 0;
  for (let pauseMs = pollMs; ; pauseMs = Math.min(pauseMs * POLL_GROWTH, Math.max(pollMs, MAX_POLL_MS))) {
    const reading = await read();
    if (isSatisfied(reading)) return reading;
    if (pausedMs >= withinMs) {
      throw new Error(`it never came true; last seen: ${inspect(reading, { depth: 5 })}`);
    }
    await sleep(pauseMs);
    pausedMs += pauseMs;
  }
}

function isPresent(reading: unknown): boolean {
  return reading !== undefined && reading !== false;
}
