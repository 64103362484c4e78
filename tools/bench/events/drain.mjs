// The whole way of a backlog, once.
import { setTimeout as sleep } from 'node:timers/promises';
import { cpuSince, descendants } from '../measure/process-cpu.mjs';
import { makeStream } from './broker.mjs';
import { openRound } from './databases.mjs';
import { startPart } from './parts.mjs';
import { PLAIN_EVENTS } from './plain-event-store.mjs';

const POLL_MS = 20;
const PATIENCE_MS = 600_000;

const justWait = (_, work) => work();

/**
 * One backlog through relay, broker and history, each a process; their starts do not count. `watch` is given their pids
 * and the work to watch. Resolves to events a second and µs of CPU by process.
 */
export async function drain({ kafka, ground, checks }, { file, count }, { isPlain, watch = justWait }) {
  const stream = await makeStream(kafka);
  const round = await openRound(ground);
  const { connections, sql } = round;
  if (isPlain)
    await sql(`${PLAIN_EVENTS}; grant select, insert on history.plain_events to "${connections.history.user}"`);
  const table = isPlain ? 'history.plain_events' : 'history.events';
  await sql(`copy wallet.outbox (event_id, agent_id, payload) from '${file}' (format binary)`);
  await sql('create table public.backlog as select id, event_id from wallet.outbox; analyze');
  const history = await startPart('history-process.mjs', { connection: connections.history, stream, isPlain });
  const relay = await startPart('relay-process.mjs', { connection: connections.wallet, stream });
  history.go();
  const before = descendants();
  const startedAtMs = performance.now();
  await watch({ relay: relay.pid, history: history.pid }, async () => {
    relay.go();
    await untilRecorded(round, table, count);
  });
  const rate = (1_000 * count) / (performance.now() - startedAtMs);
  const cpuUs = cpuSince(before, nameOf);
  await expectExact({ sql, table, count, checks });
  await Promise.all([relay.end(), history.end()]);
  await round.close();
  return { rate, cpuUs };
}

async function untilRecorded({ sql }, table, count) {
  const deadlineMs = performance.now() + PATIENCE_MS;
  for (;;) {
    const [{ last }] = await sql(`select coalesce(max(position), 0)::int as last from ${table}`);
    if (last >= count) return;
    if (performance.now() > deadlineMs) throw new Error(`only ${last} of ${count} events were recorded`);
    await sleep(POLL_MS);
  }
}

async function expectExact({ sql, table, count, checks }) {
  const [found] = await sql(`
    select count(*)::int as events, count(distinct event_id)::int as ids, count(*) filter (where id < before)::int as late,
      (select count(*)::int from wallet.outbox) as unpublished
    from (select event_id, id, lag(id) over (partition by agent_id order by position) as before
          from ${table} join public.backlog using (event_id)) as seen`);
  checks.equal('every event is recorded', found.events, count);
  checks.equal('none twice', found.ids, count);
  checks.equal('in the order of its agent', found.late, 0);
  checks.equal('none is left in the outbox', found.unpublished, 0);
}

const BACKEND = /^postgres: round_\d+_(\w+) /;

function nameOf({ commandLine }) {
  if (commandLine.includes('relay-process.mjs')) return 'relay';
  if (commandLine.includes('history-process.mjs')) return 'history';
  if (commandLine.includes('kafka.Kafka')) return 'broker';
  const role = BACKEND.exec(commandLine)?.[1];
  if (role) return `Postgres for ${role === 'wallet' ? 'the relay' : role}`;
  return commandLine.includes('postgres') ? 'Postgres itself' : undefined;
}
