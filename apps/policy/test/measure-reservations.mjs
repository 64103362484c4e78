// Informal: reservations against bare statements on the same pool, alternating, in one run. The official figures come
// from tools/bench. Build first (`node tools/build.mjs`), then `node apps/policy/test/measure-reservations.mjs`.
import { newId, Secret } from '@agent-wallet/kernel';
import { createLogger, migrate, openDatabase } from '@agent-wallet/platform';
import { openTestDatabase, stopTestServer } from '@agent-wallet/testing';
import { randomBytes } from 'node:crypto';
import { PostgresLedger } from '../dist/adapters/postgres-ledger.js';
import { policyMigrations } from '../dist/index.js';

const IN_FLIGHT = 32;
const WINDOW_MS = 1_500;
const ROUNDS = 5;
const AGENTS = 1_000;

const test = await openTestDatabase(['policy']);
const { password, ...where } = test.schemas.policy;
const database = openDatabase({
  connection: { ...where, password: new Secret(password) },
  schema: 'policy',
  logger: createLogger('measure', 'silent'),
  maxConnections: IN_FLIGHT,
});
await migrate(database, policyMigrations.directory);
const { pool } = database;
await pool.query(`create table bare_row (id int primary key, n bigint); insert into bare_row values (1, 0);
  create table bare_insert (operation_id uuid primary key, agent_id uuid, intent bytea, message_hash bytea, value bigint)`);
const [hot, ...agents] = Array.from({ length: AGENTS + 1 }, newId);
await pool.query(`insert into policies select a, 1e15, 1e15, '{}', true, true, true, 168 from unnest($1::uuid[]) a`, [
  [hot, ...agents],
]);

const intent = randomBytes(150);
const request = (agentId) => ({
  operationId: newId(),
  step: 1,
  attempt: 1,
  agentId,
  intent,
  messageHash: randomBytes(32),
  recipient: 'x',
  valueUsdMicros: 7n,
});
const ledger = new PostgresLedger(database);
const reserve = (agentId) => ledger.authorize(request(agentId));
const bareUpdate = () => pool.query({ name: 'bare', text: 'update bare_row set n = n + 1 where id = 1' });
const bareInsert = () =>
  pool.query({
    name: 'ins',
    text: 'insert into bare_insert values ($1, $2, $3, $4, $5)',
    values: [newId(), hot, intent, randomBytes(32), 7],
  });

async function rate(work, inFlight = IN_FLIGHT) {
  let done = 0;
  const end = performance.now() + WINDOW_MS;
  const worker = async () => {
    for (; performance.now() < end; done += 1) await work();
  };
  await Promise.all(Array.from({ length: inFlight }, worker));
  return done / (WINDOW_MS / 1000);
}
const median = (list) => [...list].sort((a, b) => a - b)[list.length >> 1];

async function compare(name, bare, ours, inFlight) {
  const rates = { bare: [], ours: [] };
  for (let i = 0; i < ROUNDS; i += 1) {
    rates.bare.push(await rate(bare));
    rates.ours.push(await rate(ours, inFlight));
  }
  const [a, b] = [median(rates.bare), median(rates.ours)];
  console.log(`${name}: bare ${a.toFixed(0)}/s, ours ${b.toFixed(0)}/s, ratio ${(b / a).toFixed(2)}`);
}
for (let i = 0; i < 200; i += 1) await Promise.all([reserve(hot), reserve(agents[i]), bareUpdate(), bareInsert()]);
await compare('one hot agent, 32 in flight, against a bare one-row UPDATE', bareUpdate, () => reserve(hot));
const any = () => agents[Math.floor(Math.random() * AGENTS)];
await compare('1 000 agents against single inserts', bareInsert, () => reserve(any()));

/** An agent with so many settled rows, spread over the window. */
async function busyAgent(count) {
  const agentId = newId();
  await pool.query(`insert into policies select $1, 1e15, 1e15, '{}', true, true, true, 168`, [agentId]);
  await pool.query(
    `insert into reservations select gen_random_uuid(), 1, 1, $1, '', $2, 7, 'settled', policy.now(),
       policy.now() - random() * interval '23.9 hours', null, null, policy.now() from generate_series(1, $3::int)`,
    [agentId, Buffer.alloc(32), count],
  );
  await pool.query(
    `update policies set settled_usd_micros = $2::bigint * 7, settled_since = policy.now() - interval '24 hours'
     where agent_id = $1`,
    [agentId, count],
  );
  return agentId;
}
const [some, many] = [await busyAgent(10_000), await busyAgent(100_000)];
await pool.query('analyze reservations');
const rates = { some: [], many: [] };
for (let i = 0; i < ROUNDS; i += 1) {
  rates.some.push(await rate(() => reserve(some), 1));
  rates.many.push(await rate(() => reserve(many), 1));
}
const [a, b] = [median(rates.some), median(rates.many)];
console.log(
  `10 000 rows in the window ${a.toFixed(0)}/s, 100 000 rows ${b.toFixed(0)}/s: time x ${(a / b).toFixed(2)}`,
);

const [{ wrong }] = (
  await pool.query(`with open as (select agent_id, sum(value_usd_micros) as sum from reservations where state = 'open' group by 1)
    select count(*) as wrong from policies p left join open using (agent_id)
    where p.reserved_usd_micros <> coalesce(open.sum, 0)`)
).rows;
console.log(`sums that are not the sum of their rows: ${wrong}`);
await database.close();
await test.close();
await stopTestServer();
