import { afterAll, beforeAll, expect, it } from '@jest/globals';
import { WINDOW_SECONDS } from '../src/adapters/spending-events.js';
import { openPolicyDatabase, type PolicyDatabase } from './database.js';

let database: PolicyDatabase;
beforeAll(async () => {
  database = await openPolicyDatabase();
});
afterAll(() => database.close());

it('every window of a limit has the length that events publish, and one function states it', async () => {
  const [row] = await database.rows<{ seconds: string }>(
    'select extract(epoch from policy.window_length()) as seconds',
  );
  expect(Number(row!.seconds)).toBe(WINDOW_SECONDS);
  const { rows } = await database.policy.pool.query<{ name: string }>(
    "select proname as name from pg_proc where pronamespace = 'policy'::regnamespace and prosrc ~ '(24|48) hours'",
  );
  expect(rows).toEqual([{ name: 'window_length' }]);
});

it('no function has two signatures', async () => {
  const rows = await database.rows(
    "select proname from pg_proc where pronamespace = 'policy'::regnamespace group by proname having count(*) > 1",
  );
  expect(rows).toEqual([]);
});
