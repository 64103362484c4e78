// Benchmark: a backlog of events on its way from an outbox through Kafka to history.
import path from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { Checks } from '../measure/checks.mjs';
import { figure } from '../measure/figure.mjs';
import { compare, inPairs } from '../measure/pairs.mjs';
import { median } from '../measure/statistics.mjs';
import { writeBacklog } from './backlog.mjs';
import { makeStream, openBroker } from './broker.mjs';
import { openRound, openServer } from './databases.mjs';
import { startPart } from './parts.mjs';
import { PLAIN_EVENTS } from './plain-event-store.mjs';
import { consumeRate, copyRate, produceRate } from './raw.mjs';

const COUNT = 500_000;
const QUICK_COUNT = 20_000;
/** A round to warm up needs no more. */
const WARM_UP_COUNT = 20_000;
/** Rounds of half a minute each: more of them would show nothing new. */
const MOST_PAIRS = 3;
const KEPT = 20_000;
const POLL_MS = 20;
const PATIENCE_MS = 600_000;

/** The whole way against its bare parts one after the other, and with the hash chain against without. */
export async function measureEvents({ pairs: wanted, isQuick }) {
  const pairs = Math.min(wanted, MOST_PAIRS);
  const ground = await openServer();
  const checks = new Checks();
  const work = { ground, checks, kafka: await openBroker(), ...(await writeFiles(ground, isQuick)) };
  const turns = { limit: work.warmUp, product: work.warmUp };
  const next = (side) => {
    const backlog = turns[side];
    turns[side] = work.full;
    return backlog;
  };
  const measured = await inPairs({
    pairs,
    limit: () => bareRound(work, next('limit')),
    product: async () => {
      const backlog = next('product');
      const without = await drain(work, backlog, { isPlain: true });
      return { ...(await drain(work, backlog, { isPlain: false })), without: without.rate };
    },
    numberOf: ({ rate }) => rate,
  });
  return resultOf({ measured, pairs, count: work.full.count, checks });
}

async function writeFiles({ directory }, isQuick) {
  const write = async (name, count) => {
    const file = path.join(directory, name);
    return { file, count, events: await writeBacklog(file, { count, keep: KEPT }) };
  };
  return {
    warmUp: await write('warm-up', WARM_UP_COUNT),
    full: await write('backlog', isQuick ? QUICK_COUNT : COUNT),
  };
}

/** `rate` is that of doing all three one after the other. */
async function bareRound({ kafka, ground, checks }, { file, count, events }) {
  const stream = await makeStream(kafka);
  const produced = await produceRate(stream, events, count);
  const { rate: consumed, seen } = await consumeRate(stream, count);
  checks.equal('a bare consumer sees what a bare producer sent', seen, count);
  const round = await openRound(ground);
  const copied = await copyRate(round, file, count);
  await round.close();
  return { produced, consumed, copied, rate: 1 / (1 / produced + 1 / consumed + 1 / copied) };
}

/** One backlog through relay, broker and history, each a process; their starts do not count. */
async function drain({ kafka, ground, checks }, { file, count }, { isPlain }) {
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
  const startedAtMs = performance.now();
  relay.go();
  await untilRecorded(round, table, count);
  const rate = (1_000 * count) / (performance.now() - startedAtMs);
  await expectExact({ sql, table, count, checks });
  await Promise.all([relay.end(), history.end()]);
  await round.close();
  return { rate };
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

function resultOf({ measured, pairs, count, checks }) {
  const { limitRounds, productRounds } = measured;
  const unit = 'events a second';
  const chain = compare(
    { limitRounds: productRounds.map(({ without }) => without), productRounds: productRounds.map(({ rate }) => rate) },
    (rate) => rate,
  );
  const middle = (key) => median(limitRounds.map((round) => round[key]));
  const rows = [
    ['', 'a second'],
    ['bare producer, one request of 500 in flight', middle('produced')],
    ['bare consumer', middle('consumed')],
    ['COPY, no index', middle('copied')],
    ['one after the other', measured.limit],
    ['outbox to history, without the hash chain', chain.limit],
    ['outbox to history', measured.product],
  ];
  return {
    name: 'events',
    notes: `a backlog of ${count} events, ${pairs} pairs; relay, broker, history and Postgres as processes`,
    figures: [
      figure('outbox to history against the harmonic sum of its bare parts', measured, {
        unit,
        aim: { atLeast: 0.25 },
      }),
      figure('with the hash chain against without', chain, { unit, aim: { atLeast: 0.9 } }),
    ],
    tables: [{ title: 'rates', rows }],
    checks: checks.all,
  };
}
