// Benchmark: the policy's reservations, by its own store, against bare statements of the same Postgres and driver.
import { intentV1 } from '@agent-wallet/contracts';
import { createServiceRoles, startEmbeddedPostgres } from '@agent-wallet/embedded';
import { newId } from '@agent-wallet/kernel';
import { createLogger, migrate, openDatabase } from '@agent-wallet/platform';
import { policyMigrations } from '@agent-wallet/policy';
import { createHash } from 'node:crypto';
import { mkdtemp, rm } from 'node:fs/promises';
import os from 'node:os';
import path from 'node:path';
// Not part of policy's public face: the store is what its Authorize calls, with the batches it makes of one agent.
import { PostgresReservationStore } from '../../apps/policy/dist/adapters/postgres-reservation-store.js';
import { Checks } from '../measuring/checks.mjs';
import { closing } from '../measuring/closing.mjs';
import { transferIntent } from './intent.mjs';
import { cpuRound } from './measure/cpu.mjs';
import { closedLoop, perSecond } from './measure/load.mjs';
import { figure, inPairs, sum } from './measure/pairs.mjs';

/** As many ask at once. */
const CONNECTIONS = 32;
const ROUND_MS = 3_000;
const QUICK_ROUND_MS = 700;
const VALUE_USD_MICROS = 1_000n;
const HUGE_USD_MICROS = 10n ** 15n;
const CAP_COUNT = 500;
const AGENTS = 1_000;
const WINDOW_ROWS = 10_000;
const TIMES = 10;
const RECIPIENT = '9xQeWvG816bUx9EPjHmaT23yvVM2ZWbrrpZb9PusVFin';
const INTENT = intentV1.Intent.encode(transferIntent({ recipient: RECIPIENT, amount: 1_000n })).finish();

const BARE_TABLES = `
  create table bare_counter (id int primary key, n bigint not null) with (fillfactor = 50);
  insert into bare_counter values (1, 0);
  create table bare_rows (operation_id uuid primary key, step int, attempt int, agent_id uuid, intent bytea,
    message_hash bytea, value_usd_micros bigint, created_at timestamptz default clock_timestamp());`;

export async function measure({ pairs, isQuick }) {
  const database = await openPolicyDatabase();
  const checks = new Checks();
  const roundMs = isQuick ? QUICK_ROUND_MS : ROUND_MS;
  const rate = (call) => closedLoop({ callers: CONNECTIONS, durationMs: roundMs, call }).then(perSecond);
  const ground = { database, pairs, checks, roundMs, rate };
  const figures = [await measureHotAgent(ground), await measureManyAgents(ground), await measureFullWindow(ground)];
  const notes = `${CONNECTIONS} callers over ${CONNECTIONS} connections, ${pairs} pairs, policy's own store`;
  return { notes, figures, tables: [], checks: checks.all };
}

/** One policy process; it counts what it was answered. */
class PolicyProcess {
  /** `Map(agent → how many were granted)`. */
  granted = new Map();
  refused = 0;
  #store;

  constructor(database) {
    this.#store = new PostgresReservationStore(database);
  }

  async authorize(agentId) {
    const decision = await this.#store.reserve({ ...newReservation(), agentId });
    if (decision?.verdict === 'granted') this.granted.set(agentId, (this.granted.get(agentId) ?? 0) + 1);
    else this.refused += 1;
  }
}

/** The row of a new operation, as far as its agent does not matter. */
function newReservation() {
  const operationId = newId();
  const messageHash = createHash('sha256').update(operationId).digest();
  const ids = { operationId, step: 1, attempt: 1 };
  return {
    ...ids,
    intent: INTENT,
    messageHash,
    kind: 'payment',
    recipient: RECIPIENT,
    valueUsdMicros: VALUE_USD_MICROS,
  };
}

/** One agent that asks for everything at once, against updates of one bare row. */
async function measureHotAgent({ database, pairs, rate, checks }) {
  const agentId = newId();
  await addAgents(database, [agentId], HUGE_USD_MICROS);
  const update = { name: 'bare-update', text: 'update bare_counter set n = n + 1 where id = 1' };
  const policy = new PolicyProcess(database);
  const limit = () => rate(() => database.pool.query(update));
  const measured = await inPairs({ pairs, limit, product: () => rate(() => policy.authorize(agentId)) });
  const { rows } = await database.pool.query(
    `select p.reserved_usd_micros as sum, count(r.*) as count
     from policies p left join reservations r on r.agent_id = p.agent_id and r.state = 'open'
     where p.agent_id = $1 group by p.agent_id`,
    [agentId],
  );
  const granted = policy.granted.get(agentId);
  checks.equal('a hot agent: every reservation is a row', Number(rows[0].count), granted);
  const reserved = BigInt(granted) * VALUE_USD_MICROS;
  checks.equal('a hot agent: the running sum is that of its rows', BigInt(rows[0].sum), reserved);
  await expectCapHolds({ database, checks });
  const aim = { atLeast: 0.5 };
  return figure('one hot agent against a bare one-row UPDATE', measured, { unit: 'a second', aim });
}

/** Twice as many ask as fit. */
async function expectCapHolds({ database, checks }) {
  const agentId = newId();
  await addAgents(database, [agentId], BigInt(CAP_COUNT) * VALUE_USD_MICROS);
  const processes = [new PolicyProcess(database), new PolicyProcess(database)];
  await Promise.all(Array.from({ length: 2 * CAP_COUNT }, (_, i) => processes[i % 2].authorize(agentId)));
  const granted = sum(processes.map((process) => process.granted.get(agentId) ?? 0));
  checks.equal(`of ${2 * CAP_COUNT} requests as many pass as fit`, granted, CAP_COUNT);
}

/** A thousand agents that ask now and then, against single-row inserts of the same data. */
async function measureManyAgents({ database, pairs, rate, checks }) {
  const agents = Array.from({ length: AGENTS }, newId);
  await addAgents(database, agents, HUGE_USD_MICROS);
  const policy = new PolicyProcess(database);
  let turn = 0;
  // A step without a common divisor with their number visits all, in no order that storage knows.
  const next = () => agents[(turn = (turn + 617) % AGENTS)];
  const limit = () => rate(() => insert(database, next()));
  const measured = await inPairs({ pairs, limit, product: () => rate(() => policy.authorize(next())) });
  const { rows } = await database.pool.query(
    'select coalesce(sum(reserved_usd_micros), 0) as sum from policies where agent_id = any($1::uuid[])',
    [agents],
  );
  const reserved = BigInt(sum([...policy.granted.values()])) * VALUE_USD_MICROS;
  checks.equal('1 000 agents: no request is refused', policy.refused, 0);
  checks.equal('1 000 agents: all that was granted is reserved', BigInt(rows[0].sum), reserved);
  return figure('1 000 agents against single inserts', measured, { unit: 'a second', aim: { atLeast: 0.4 } });
}

function insert(database, agentId) {
  const { operationId, step, attempt, intent, messageHash, valueUsdMicros } = newReservation();
  return database.pool.query({
    name: 'bare-insert',
    text: `insert into bare_rows (operation_id, step, attempt, agent_id, intent, message_hash, value_usd_micros)
           values ($1, $2, $3, $4, $5, $6, $7)`,
    values: [operationId, step, attempt, agentId, Buffer.from(intent), messageHash, valueUsdMicros],
  });
}

/** What one reservation costs with ten times as many settled rows in the last 24 hours. */
async function measureFullWindow({ database, pairs, roundMs, checks }) {
  const [few, many] = [newId(), newId()];
  await addAgents(database, [few, many], HUGE_USD_MICROS);
  await addSettledRows(database, few, WINDOW_ROWS);
  await addSettledRows(database, many, WINDOW_ROWS * TIMES);
  await database.pool.query('analyze reservations');
  const policy = new PolicyProcess(database);
  // One after the other, so that no batch hides what a statement costs; both ends count.
  const cost = async (agentId) => {
    const load = { callers: 1, durationMs: roundMs, call: () => policy.authorize(agentId) };
    return (await cpuRound({ ...load, nameOf: () => 'postgres', countsUs: true })).cpuUs;
  };
  const measured = await inPairs({ pairs, limit: () => cost(few), product: () => cost(many) });
  checks.equal('full windows: no request is refused', policy.refused, 0);
  // The running sum of what was settled is that of the rows after the moment it is kept for.
  const { rows } = await database.pool.query(
    `select settled_usd_micros as kept, settled_between(agent_id, settled_since, 'infinity') as counted
     from policies where agent_id = any($1::uuid[])`,
    [[few, many]],
  );
  for (const { kept, counted } of rows) checks.equal('full windows: the settled sum is exact', kept, counted);
  const name = `${WINDOW_ROWS * TIMES} rows in the window against ${WINDOW_ROWS}`;
  return figure(name, measured, { unit: 'µs of CPU', aim: { atMost: 1.1 } });
}

/** Spread over the window, so that some leave it while we look. */
async function addSettledRows(database, agentId, count) {
  await database.pool.query(
    `insert into reservations
     select gen_random_uuid(), 1, 1, $1, '', sha256(''), 7, 'settled', policy.now(),
       policy.now() - n * interval '24 hours' / $2::int, null, null, policy.now()
     from generate_series(1, $2::int) n`,
    [agentId, count],
  );
  await database.pool.query(
    `update policies set settled_usd_micros = $2::bigint * 7, settled_since = policy.now() - interval '25 hours'
     where agent_id = $1`,
    [agentId, count],
  );
}

/**
 * Policy's schema in a Postgres of its own, and bare tables beside it. Commits do not wait for the disk, on either side of
 * a ratio: a slow disk would hide what reservations cost, and make the hot agent's batches look even better.
 */
async function openPolicyDatabase() {
  const directory = await mkdtemp(path.join(os.tmpdir(), 'bench-reservations-'));
  closing(directory, () => rm(directory, { recursive: true, force: true }));
  const server = await startEmbeddedPostgres({ dataDir: directory, durability: 'relaxed' });
  closing(server, () => server.stop());
  const { policy: connection } = await createServiceRoles(server, ['policy']);
  const logger = createLogger('bench', 'silent');
  const database = openDatabase({ connection, schema: 'policy', logger, maxConnections: CONNECTIONS });
  closing(database, () => database.close());
  await migrate(database, policyMigrations.directory);
  await database.pool.query(BARE_TABLES);
  return database;
}

/** Makes agents whose policy is a daily limit, for single transactions too. */
async function addAgents(database, agentIds, dailyLimitUsdMicros) {
  await database.pool.query(
    `insert into policies
     select id, $2::bigint, $2::bigint, '{}', true, true, true, 168 from unnest($1::uuid[]) id`,
    [agentIds, dailyLimitUsdMicros],
  );
}
