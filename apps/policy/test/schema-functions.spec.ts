import { newId } from '@agent-wallet/kernel';
import { afterAll, beforeAll, expect, it } from '@jest/globals';
import { reserveAll } from '../src/adapters/postgres-reservation-store.js';
import type { OperatorBounds } from '../src/adapters/reservation-rows.js';
import { WINDOW_SECONDS } from '../src/adapters/spending-events.js';
import { openPolicyDatabase, type PolicyDatabase } from './database.js';
import { request } from './store-support.js';

const BOUNDS: OperatorBounds = {
  sponsorship: {
    maxLamportsPerTransaction: 1n,
    maxLamportsPerAgentDay: 1n,
    maxLamportsPerDay: 1n,
    maxAccountsPerAgentDay: 1,
  },
  maxPayoutsPerDay: 1n,
  maxTreasuryMovesPerAgentDay: 1,
  requiresOwner: false,
};

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

it('the store writes each attribute of a request and of the bounds: one that is missing would be null', async () => {
  const attributesOf = async (type: string) => {
    const sql = 'select attname as name from pg_attribute where attrelid = $1::regclass and not attisdropped';
    return (await database.rows<{ name: string }>(sql, `policy.${type}`)).map(({ name }) => name).sort();
  };
  const sent: unknown[][] = [];
  const tx = { query: async ({ values }: { values: unknown[] }) => (sent.push(values), { rows: [] }) };
  const asked = { ...request(newId()), event: { eventId: newId(), agentId: newId(), payload: Buffer.from('x') } };
  await reserveAll(tx as never, { agentId: newId(), requests: [asked], bounds: BOUNDS });
  const [, , requests, bounds] = sent[0] as [string, string[], string, string];
  const [row] = JSON.parse(requests) as [object];
  expect(Object.keys(row).sort()).toEqual(await attributesOf('reservation_request'));
  expect(Object.keys(JSON.parse(bounds) as object).sort()).toEqual(await attributesOf('operator_bounds'));
});
