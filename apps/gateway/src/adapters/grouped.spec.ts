import { afterEach, beforeEach, describe, expect, it, jest } from '@jest/globals';
import { AsyncLocalStorage } from 'node:async_hooks';
import { Grouped } from './grouped.js';

/** Statements that end when the test says so. */
class Statements {
  readonly groups: (readonly string[])[] = [];
  readonly #ends: { readonly resolve: () => void; readonly reject: (error: Error) => void }[] = [];

  readonly grouped = new Grouped<string, string>({
    name: 'test',
    run: async (asks) => {
      this.groups.push(asks);
      await new Promise<void>((resolve, reject) => this.#ends.push({ resolve, reject }));
      return asks.map((ask) => `${ask}!`);
    },
    isOfOne: (error) => (error as Error).message === 'of one',
    groupLimit: 3,
    stalledAfterMs: 1_000,
  });

  async end(error?: Error): Promise<void> {
    const { resolve, reject } = this.#ends.shift()!;
    if (error) reject(error);
    else resolve();
    for (let turn = 0; turn < 10; turn += 1) await Promise.resolve();
  }
}

let statements: Statements;
beforeEach(() => {
  jest.useFakeTimers({ doNotFake: ['setImmediate'] });
  statements = new Statements();
});
afterEach(() => void jest.useRealTimers());

const turnOfLoop = () => new Promise((resolve) => setImmediate(resolve));
const ask = (text: string) => statements.grouped.ask(text);

/** What became of each: its answer, or the code or message of its error. */
async function ends(asked: readonly Promise<string>[]): Promise<string[]> {
  const codeOf = (error: Error & { code?: string }) => error.code ?? error.message;
  return Promise.all(asked.map((one) => one.catch(codeOf)));
}

describe('questions asked in groups', () => {
  it('go at once when nothing is under way, and together when something is, up to a number, in their order', async () => {
    const asked = ['a', 'b', 'c', 'd', 'e'].map(ask);
    expect(statements.groups).toEqual([['a']]);
    await statements.end();
    expect(statements.groups).toEqual([['a'], ['b', 'c', 'd']]);
    await statements.end();
    await statements.end();
    expect(statements.groups).toEqual([['a'], ['b', 'c', 'd'], ['e']]);
    expect(await ends(asked)).toEqual(['a!', 'b!', 'c!', 'd!', 'e!']);
    const later = ask('f');
    await statements.end();
    expect(await later).toBe('f!');
  });

  it('all fail when the statement fails for a reason of its own', async () => {
    const asked = ['a', 'b', 'c'].map(ask);
    await statements.end();
    await statements.end(new Error('the database is away'));
    expect(await ends(asked)).toEqual(['a!', 'the database is away', 'the database is away']);
    expect(statements.groups).toEqual([['a'], ['b', 'c']]);
  });

  it('are asked one by one when one of them may be at fault, so that only this one fails', async () => {
    const asked = ['a', 'b', 'bad', 'c'].map(ask);
    await statements.end();
    await statements.end(new Error('of one'));
    expect(statements.groups.slice(2)).toEqual([['b'], ['bad'], ['c']]);
    await statements.end();
    await statements.end(new Error('of one'));
    await statements.end();
    expect(await ends(asked)).toEqual(['a!', 'b!', 'of one', 'c!']);
  });

  it('are refused while a statement hangs, and asked again once it has ended', async () => {
    const [first, second] = [ask('a'), ends([ask('b')])];
    jest.advanceTimersByTime(999);
    const third = ends([ask('c')]);
    jest.advanceTimersByTime(1);
    await turnOfLoop();
    expect([await second, await third, await ends([ask('d')])]).toEqual(Array(3).fill(['SERVICE_UNAVAILABLE']));
    await statements.end();
    expect(await first).toBe('a!');
    const later = ask('e');
    await statements.end();
    expect(await later).toBe('e!');
    expect(statements.groups).toEqual([['a'], ['e']]);
  });

  it('are not refused when the answer is there before they are', async () => {
    const asked = ['a', 'b'].map(ask);
    jest.advanceTimersByTime(1_000);
    await statements.end();
    await turnOfLoop();
    await statements.end();
    expect(await ends(asked)).toEqual(['a!', 'b!']);
  });

  it('run outside of the context of any of them, and go on within their own', async () => {
    const request = new AsyncLocalStorage<string>();
    const seen: unknown[] = [];
    const grouped = new Grouped<string, string>({
      name: 'test',
      run: async (asks) => {
        seen.push(request.getStore());
        return asks;
      },
      isOfOne: () => false,
      groupLimit: 3,
      stalledAfterMs: 1_000,
    });
    const asked = ['a', 'b', 'c'].map((id) =>
      request.run(id, async () => `${await grouped.ask(id)} in ${request.getStore()}`),
    );
    expect(await Promise.all(asked)).toEqual(['a in a', 'b in b', 'c in c']);
    expect(seen).toEqual([undefined, undefined]);
  });
});
