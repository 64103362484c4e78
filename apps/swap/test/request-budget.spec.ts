import { type AppError, newId } from '@agent-wallet/kernel';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import { PostgresRequestBudget } from '../src/adapters/postgres-request-budget.js';
import { openSwapDatabase } from './database.js';

/** A trade of one more agent. */
const claim = () => ({ agentId: newId(), isReal: true, requests: 1 });

let schema: Awaited<ReturnType<typeof openSwapDatabase>>;
let copies: PostgresRequestBudget[];

beforeAll(async () => {
  schema = await openSwapDatabase();
});
afterAll(() => schema.close());
beforeEach(async () => {
  await schema.database.pool.query(`delete from request_counts`);
  await schema.database.pool.query(`update aggregator_pauses set until_at = '-infinity'`);
  copies = [1, 2].map(() => new PostgresRequestBudget(schema.database.pool, { requestsPerMinute: 10, timeoutMs: 100 }));
});

/** Asks so often at once, by turns at both copies. */
async function ask(count: number): Promise<{ taken: number; codes: Set<unknown> }> {
  const results = await Promise.allSettled(Array.from({ length: count }, (_, i) => copies[i % 2]!.take(claim())));
  const codes = results.flatMap((one) => (one.status === 'rejected' ? [(one.reason as { code: string }).code] : []));
  return { taken: results.length - codes.length, codes: new Set(codes) };
}

/** Moves what was asked into the past. */
const age = (seconds: number) =>
  schema.database.pool.query('update request_counts set second = second - $1', [seconds]);

/** Writes that the aggregator wants to be left alone for so long, as it was written by a clock that was ahead. */
const pausedFor = (what: 'ask' | 'execute', interval: string) =>
  schema.database.pool.query(
    'update aggregator_pauses set until_at = clock_timestamp() + $2::interval where bucket = $1',
    [what, interval],
  );

const databaseMs = async () =>
  (
    await schema.database.pool.query<{ ms: number }>(
      'select extract(epoch from clock_timestamp())::float8 * 1000 as ms',
    )
  ).rows[0]!.ms;

/** Returns by which time of the database a pause ends, in Unix milliseconds. */
const pausedUntilMs = async (what: string) =>
  (
    await schema.database.pool.query<{ ms: number }>(
      'select extract(epoch from until_at)::float8 * 1000 as ms from aggregator_pauses where bucket = $1',
      [what],
    )
  ).rows[0]!.ms;

/** Pauses, and expects the pause to last for `lastsMs` from some moment of the call on, however long the call took. */
async function expectPause(what: 'ask' | 'execute', askedMs: number, lastsMs: number): Promise<void> {
  const beforeMs = await databaseMs();
  await copies[0]!.pause(what, askedMs);
  const afterMs = await databaseMs();
  const beganMs = (await pausedUntilMs(what)) - lastsMs;
  expect({ what, isLong: beganMs >= beforeMs - 1, isShort: beganMs <= afterMs + 1 }).toEqual({
    ...{ what, isLong: true, isShort: true },
  });
}

describe('two copies of the service', () => {
  it('share one budget', async () => {
    expect(await ask(25)).toEqual({ taken: 10, codes: new Set(['SERVICE_UNAVAILABLE']) });
  });

  it('get it back a minute later, and not before', async () => {
    await ask(10);
    await age(57);
    expect((await ask(2)).taken).toBe(0);
    await age(5);
    expect((await ask(25)).taken).toBe(10);
  });

  it('say when it can be tried again', async () => {
    await ask(10);
    const error = await copies[0]!.take(claim()).catch((refusal: unknown) => refusal);
    expect([59, 60, 61]).toContain((error as AppError).data['retryAfterSeconds']);
  });

  it('wait for a moment where that helps', async () => {
    await copies[0]!.pause('ask', 60);
    await copies[1]!.take(claim());
  });

  it('both pause when the aggregator asks one of them to', async () => {
    await copies[0]!.pause('ask', 30_000);
    await copies[0]!.pause('ask', 1);
    expect((await ask(4)).taken).toBe(0);
    expect(await copies[1]!.mayExecute()).toBe(true);
    await copies[0]!.pause('execute', 30_000);
    expect(await copies[1]!.mayExecute()).toBe(false);
  });

  it('pause no longer than the maximum, for any pause that is asked for', async () => {
    await expectPause('ask', 3_600_000, 60_000);
    await expectPause('execute', 3_600_000, 5_000);
  });
});

describe('when the clock was ahead and is set right', () => {
  it.each([20, 3_600, 40 * 86_400])('what was asked %d s from now counts no more', async (seconds) => {
    expect((await ask(10)).taken).toBe(10);
    await age(-seconds);
    expect((await ask(25)).taken).toBe(10);
  });

  it.each(['2 minutes', '40 days'])('a pause of %s is over', async (interval) => {
    await pausedFor('ask', interval);
    await pausedFor('execute', interval);
    await copies[0]!.take(claim());
    expect(await copies[0]!.mayExecute()).toBe(true);
  });

  it('executions rest for no more than seconds', async () => {
    await pausedFor('execute', '10 seconds');
    expect(await copies[0]!.mayExecute()).toBe(true);
    await pausedFor('execute', '4 seconds');
    expect(await copies[0]!.mayExecute()).toBe(false);
  });

  it('a new pause is as long as requested, and holds', async () => {
    await pausedFor('ask', '40 days');
    await pausedFor('execute', '1 hour');
    await expectPause('ask', 30_000, 30_000);
    await expectPause('execute', 3_000, 3_000);
    expect((await ask(2)).taken).toBe(0);
    expect(await copies[0]!.mayExecute()).toBe(false);
  });
});
