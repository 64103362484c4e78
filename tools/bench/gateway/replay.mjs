// Benchmark: a transfer is asked for again with the same idempotency key.
import { createHash } from 'node:crypto';
import { fileURLToPath } from 'node:url';
import { Checks } from '../measure/checks.mjs';
import { figure } from '../measure/figure.mjs';
import { compare, inPairs } from '../measure/pairs.mjs';
import { startPeer } from '../measure/peer.mjs';
import { descendants } from '../measure/process-cpu.mjs';
import { profiled } from '../measure/profile.mjs';
import { median } from '../measure/statistics.mjs';
import { openBenchDatabase } from '../parts/bench-database.mjs';
import { productProcess } from '../process-names.mjs';
import { takeStock } from '../transfers/audit.mjs';
import { openLedgers } from '../transfers/ledgers.mjs';
import { processTable } from '../transfers/tables.mjs';
import { openWorld } from '../world.mjs';
import { asking, askingGateway, auditTransfers, makeTransfers } from './kept-transfers.mjs';
import { CALLERS, gatewayProcess, processAlone, rateTable, requestRound, tokenKeyPem } from './requests.mjs';

const AGENTS = 50; // fewer than recipients
const BARE = fileURLToPath(new URL('replay-api-server.mjs', import.meta.url));

/** Just-in-time compilers need thousands of calls. */
const LONG = { warmUp: { calls: 12_000 }, round: { durationMs: 4_000 }, profile: { durationMs: 6_000 } };
const QUICK = { warmUp: { calls: 3_000 }, round: { durationMs: 1_500 }, profile: { durationMs: 3_000 } };

/** CPU of process and Postgres on both sides. */
export async function measureReplay({ pairs, isQuick, profilePath }) {
  const times = isQuick ? QUICK : LONG;
  const world = await openWorld({ agents: AGENTS });
  const { deployment } = world;
  const before = await takeStock(world);
  const transfers = await makeTransfers(world);
  const ledgers = openLedgers(deployment);
  await ledgers.quiet();
  const bare = await startBare(deployment, transfers);
  await ledgers.analyze();
  const errors = [];
  const judge = judgeInto(errors);
  const ask = askingGateway(transfers);
  const product = (extent) => requestRound({ url: deployment.url(), extent, ask, judge, nameOf: gatewayProcess });
  const limit = bareRound({ bare, transfers, extent: times.round, judge });
  await product(times.warmUp);
  const numberOf = ({ cpuUs }) => cpuUs;
  const measured = await inPairs({ pairs, limit, product: () => product(times.round), numberOf });
  const profiles = profilePath ? await profileGateway(() => product(times.profile), profilePath) : [];
  const checks = new Checks();
  checks.equal('answers that were not the first one', errors[0] ?? 'none', 'none');
  await auditTransfers({ world, before, checks });
  return resultOf({ measured, pairs, profiles, checks });
}

/** The answers in a table of their own, and a server that finds them. */
async function startBare({ infrastructure: { postgres, secrets } }, transfers) {
  const { pool } = await openBenchDatabase(postgres);
  await pool.query(`create table replays (agent_id uuid, idempotency_key text, request_hash bytea, status int,
    message text, data text, primary key (agent_id, idempotency_key))`);
  for (const { headers, body, answer } of transfers) {
    const { sub } = JSON.parse(Buffer.from(headers.authorization.split('.')[1], 'base64url'));
    const hash = createHash('sha256').update(body).digest();
    const values = [sub, headers['idempotency-key'], hash, answer.statusCode, answer.message];
    await pool.query('insert into replays values ($1, $2, $3, $4, $5, $6)', [...values, JSON.stringify(answer.data)]);
  }
  const { host, port, user, password } = postgres;
  const environment = {
    ...{ PGHOST: host, PGPORT: String(port), PGUSER: user, PGPASSWORD: password.reveal(), PGDATABASE: 'bench' },
  };
  return startPeer(BARE, [await tokenKeyPem(secrets)], environment);
}

function bareRound({ bare: { pid, port }, transfers, extent, judge }) {
  const nameOf = (process) => {
    if (process.pid === pid) return 'bare';
    return productProcess(process) === 'postgres itself' ? 'postgres' : undefined;
  };
  const ask = asking('/transfer', transfers);
  return () => requestRound({ url: `http://127.0.0.1:${port}`, extent, ask, judge, nameOf });
}

/** Both sides must tell the first answer, and that it is not the first time. */
function judgeInto(errors) {
  return ({ status, text, expected }) => {
    const { cached, originalResponse } = status === 200 ? JSON.parse(text).data : {};
    const isRight = cached === true && JSON.stringify(originalResponse) === expected;
    if (!isRight) errors.push(`${status} ${text} instead of ${expected}`);
  };
}

function profileGateway(load, directory) {
  const { pid } = [...descendants().values()].find((process) => productProcess(process) === 'gateway');
  return profiled({ name: 'replay-gateway', pid, load, directory });
}

function resultOf({ measured, pairs, profiles, checks }) {
  const { limitRounds, productRounds } = measured;
  const alone = compare(
    { limitRounds: limitRounds.map(processAlone('bare')), productRounds: productRounds.map(processAlone('gateway')) },
    (us) => us,
  );
  const rate = (rounds) => median(rounds.map(({ ratePerSecond }) => ratePerSecond));
  const unit = 'µs of CPU';
  return {
    name: 'replay',
    notes: `a transfer again with its key, ${CALLERS} callers over ${AGENTS} agents, ${pairs} pairs`,
    figures: [
      figure('gateway and its Postgres against bare Fastify, token check and one select', measured, {
        unit,
        aim: { atMost: 1.5 },
      }),
      figure('the gateway process alone', alone, { unit }),
    ],
    tables: [
      processTable(productRounds, 'an answer'),
      rateTable({ bare: rate(limitRounds), gateway: rate(productRounds) }),
      ...profiles,
    ],
    checks: checks.all,
  };
}
