// Informal: how reservations compare with bare statements of the same Postgres, in one run. Build libs first, then
// `node apps/policy/test/measure-reservations.mjs`.
import { openTestDatabase } from '@agent-wallet/testing';
import { randomBytes, randomUUID } from 'node:crypto';
import { readFile } from 'node:fs/promises';
import pg from 'pg';

const CONNECTIONS = 32;
const WINDOW_MS = 2_000;
const ROUNDS = 3;
const MIGRATION = '../prisma/migrations/20261121090000_make_policies_and_reservations/migration.sql';
const database = await openTestDatabase(['policy']);
const pool = new pg.Pool({ ...database.schemas.policy, max: CONNECTIONS });
await pool.query(await readFile(new URL(MIGRATION, import.meta.url), 'utf8'));
await pool.query(`create table bare_row (id int primary key, n bigint); insert into bare_row values (1, 0);
  create table bare_insert (operation_id uuid primary key, agent_id uuid, intent bytea, hash bytea, value bigint, at timestamptz default clock_timestamp())`);

const agents = Array.from({ length: 1_001 }, () => randomUUID());
await pool.query(
  `insert into policies select a, 1000000000000000, 1000000000000000, '{}', true, true, true, 168 from unnest($1::uuid[]) a`,
  [agents],
);
const intent = randomBytes(150);
const requests = (count) => [
  Array.from({ length: count }, () => randomUUID()), Array(count).fill(1), Array(count).fill(1), Array(count).fill(intent),
  Array.from({ length: count }, () => randomBytes(32)), Array(count).fill('x'), Array(count).fill(1000), '2 minutes',
];
const authorize = (agent, count = 1) =>
  pool.query({ name: 'authorize', text: 'select * from policy.authorize($1,$2,$3,$4,$5,$6,$7,$8,$9)', values: [agent, ...requests(count)] });
const bareUpdate = () => pool.query({ name: 'bare', text: 'update bare_row set n = n + 1 where id = 1' });
const bareInsert = () =>
  pool.query({ name: 'ins', text: 'insert into bare_insert values ($1,$2,$3,$4,$5)', values: [randomUUID(), agents[0], intent, randomBytes(32), 5] });

async function rate(work, perCall = 1, workers = CONNECTIONS) {
  let done = 0;
  const end = performance.now() + WINDOW_MS;
  await Promise.all(Array.from({ length: workers }, async () => {
    while (performance.now() < end) { await work(); done += perCall; }
  }));
  return done / (WINDOW_MS / 1000);
}
const median = (list) => [...list].sort((a, b) => a - b)[list.length >> 1];

/** Alternates both sides, so that the machine's mood hits both. */
async function compare(name, bare, product, { perCall = 1, workers = CONNECTIONS } = {}) {
  const a = [], b = [];
  for (let i = 0; i < ROUNDS; i++) { a.push(await rate(bare)); b.push(await rate(product, perCall, workers)); }
  console.log(`${name}: bare ${median(a).toFixed(0)}/s, ours ${median(b).toFixed(0)}/s, ratio ${(median(b) / median(a)).toFixed(2)}`);
  return median(b);
}
const some = () => agents[1 + Math.floor(Math.random() * 1_000)];
await authorize(agents[0]); await bareUpdate(); await bareInsert();
await compare('one hot agent, one a statement, 32 connections', bareUpdate, () => authorize(agents[0]));
await compare('one hot agent, 32 a statement, one at a time', bareUpdate, () => authorize(agents[0], 32), { perCall: 32, workers: 1 });
await compare('1 000 agents against single inserts', bareInsert, () => authorize(some()));

async function settledRows(agent, count) {
  await pool.query('delete from reservations where agent_id = $1', [agent]);
  await pool.query(`insert into reservations select gen_random_uuid(), 1, 1, $1, '', $2, 7, 'settled', policy.now(), policy.now() - random() * interval '23.9 hours', null, null, policy.now() from generate_series(1, $3::int)`, [agent, Buffer.alloc(32), count]);
  await pool.query(`update policies set reserved_usd_micros = 0, settled_usd_micros = $2::bigint * 7, settled_since = policy.now() - interval '24 hours' where agent_id = $1`, [agent, count]);
  await pool.query('vacuum analyze reservations');
}
for (let i = 0; i < 2; i++) {
  const rates = [];
  for (const count of [10_000, 100_000]) { await settledRows(agents[0], count); rates.push(await rate(() => authorize(agents[0]), 1, 8)); }
  console.log(`10 000 rows ${rates[0].toFixed(0)}/s, 100 000 rows ${rates[1].toFixed(0)}/s: time x ${(rates[0] / rates[1]).toFixed(2)}`);
}
await pool.end();
await database.close();
const { stopTestServer } = await import('@agent-wallet/testing');
await stopTestServer();
