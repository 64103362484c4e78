// Benchmark: a backlog of events on its way from an outbox through Kafka to history.
import { canRunKafka, eventually } from '@agent-wallet/testing';
import path from 'node:path';
import { Checks } from '../measuring/checks.mjs';
import { makeStream, openBroker } from '../pipeline/broker.mjs';
import { openRound, openServer } from '../pipeline/databases.mjs';
import { startPart } from '../pipeline/parts.mjs';
import { costs, cpuSince, descendants, productProcess } from './measure/cpu.mjs';
import { counted, median } from './measure/pairs.mjs';
import { processTable } from './report.mjs';
import { writeBacklog } from './traffic/backlog.mjs';

const COUNT = 500_000;
const QUICK_COUNT = 20_000;
/** A round to warm up needs no more. */
const WARM_UP_COUNT = 20_000;
/** Rounds of half a minute each: more of them would show nothing new. */
const MOST_ROUNDS = 3;
const POLL_MS = 20;
const TIMEOUT_MS = 600_000;

/** The whole way; each event is checked. */
export async function measure({ pairs, isQuick }) {
  if (!canRunKafka()) {
    console.log('  not measured: this machine cannot run a Kafka broker (see above)');
    return undefined;
  }
  const rounds = Math.min(pairs, MOST_ROUNDS);
  const ground = await openServer();
  const work = { ground, checks: new Checks(), kafka: await openBroker() };
  const write = async (name, count) => {
    const file = path.join(ground.directory, name);
    await writeBacklog(file, count);
    return { file, count };
  };
  await drain(work, await write('warm-up', WARM_UP_COUNT));
  const backlog = await write('backlog', isQuick ? QUICK_COUNT : COUNT);
  const found = [];
  for (let i = 0; i < rounds; i += 1) {
    found.push(await drain(work, backlog));
    console.log(`  round ${i + 1} of ${rounds}: ${found[i].rate.toFixed(0)} events a second`);
  }
  const middle = (key) => Math.round(median(found.map((round) => round[key])));
  return {
    notes: `a backlog of ${backlog.count} events, ${rounds} rounds; relay, broker, history and Postgres as processes`,
    figures: [
      counted('outbox to history', middle('rate'), { unit: 'events a second' }),
      counted('CPU of an event', middle('cpuUs'), { unit: 'µs' }),
    ],
    tables: [processTable(found, 'an event')],
    checks: work.checks.all,
  };
}

/** One backlog through relay, broker and history, each a process; their starts do not count. */
async function drain({ kafka, ground, checks }, { file, count }) {
  const stream = await makeStream(kafka);
  const round = await openRound(ground);
  const { connections, sql } = round;
  await sql(`copy wallet.outbox (event_id, agent_id, payload) from '${file}'`);
  await sql('create table public.backlog as select id, event_id from wallet.outbox; analyze');
  const history = await startPart('history-process.mjs', { connection: connections.history, stream });
  const relay = await startPart('relay-process.mjs', { connection: connections.wallet, stream });
  history.go();
  const before = descendants();
  const startedAtMs = performance.now();
  relay.go();
  await untilRecorded(round, count);
  const rate = (1_000 * count) / (performance.now() - startedAtMs);
  const cpu = costs([...cpuSince(before, nameOf)], count);
  await expectExact({ sql, count, checks });
  await Promise.all([relay.end(), history.end()]);
  await round.close();
  return { rate, ...cpu };
}

async function untilRecorded({ sql }, count) {
  const lastRecorded = async () =>
    (await sql(`select coalesce(max(position), 0)::int as last from history.events`))[0].last;
  await eventually(lastRecorded, (last) => last >= count, TIMEOUT_MS, POLL_MS);
}

async function expectExact({ sql, count, checks }) {
  const [found] = await sql(`
    select count(*)::int as events, count(distinct event_id)::int as ids, count(*) filter (where id < before)::int as late,
      (select count(*)::int from wallet.outbox) as unpublished
    from (select event_id, id, lag(id) over (partition by agent_id order by position) as before
          from history.events join public.backlog using (event_id)) as seen`);
  checks.equal('every event is recorded', found.events, count);
  checks.equal('none twice', found.ids, count);
  checks.equal('in the order of its agent', found.late, 0);
  checks.equal('none is left in the outbox', found.unpublished, 0);
}

function nameOf(process) {
  const { commandLine } = process;
  if (commandLine.includes('relay-process.mjs')) return 'relay';
  if (commandLine.includes('history-process.mjs')) return 'history';
  return commandLine.includes('kafka.Kafka') ? 'broker' : productProcess(process);
}
