import { inspect } from 'node:util';

/** Polls until a reading satisfies; resolves with it. @throws Error with the last reading when it never does */
export async function eventually<T>(
  read: () => Promise<T>,
  satisfied: (value: T) => boolean,
  withinMs = 20_000,
): Promise<T> {
  const until = Date.now() + withinMs;
  for (;;) {
    const value = await read();
    if (satisfied(value)) return value;
    if (Date.now() > until) throw new Error(`it never came true; last seen: ${inspect(value, { depth: 5 })}`);
    await new Promise((resolve) => setTimeout(resolve, 25));
  }
}
