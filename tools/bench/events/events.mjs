// Benchmark: a backlog of events on its way from an outbox through Kafka to history.
import path from 'node:path';
import { Checks } from '../measure/checks.mjs';
import { figure } from '../measure/figure.mjs';
import { compare, inPairs } from '../measure/pairs.mjs';
import { profiled } from '../measure/profile.mjs';
import { median } from '../measure/statistics.mjs';
import { writeBacklog } from './backlog.mjs';
import { makeStream, openBroker } from './broker.mjs';
import { openRound, openServer } from './databases.mjs';
import { drain } from './drain.mjs';
import { consumeRate, copyRate, produceRate } from './raw.mjs';

const COUNT = 500_000;
const QUICK_COUNT = 20_000;
/** A round to warm up needs no more. */
const WARM_UP_COUNT = 20_000;
/** Rounds of half a minute each: more of them would show nothing new. */
const MOST_PAIRS = 3;
const KEPT = 20_000;

/** The whole way against its bare parts one after the other, and with the hash chain against without. */
export async function measureEvents({ pairs: wanted, isQuick, profilePath }) {
  const pairs = Math.min(wanted, MOST_PAIRS);
  const ground = await openServer();
  const checks = new Checks();
  const work = { ground, checks, kafka: await openBroker(), ...(await writeFiles(ground, isQuick)) };
  const turns = { limit: work.warmUp, product: work.warmUp, drained: 0 };
  const next = (side) => {
    const backlog = turns[side];
    turns[side] = work.full;
    return backlog;
  };
  const measured = await inPairs({
    pairs,
    limit: () => bareRound(work, next('limit')),
    product: () => drainBoth(work, next('product'), (turns.drained += 1) % 2 === 0),
    numberOf: ({ rate }) => rate,
  });
  const profiles = profilePath ? await profileBoth(work, profilePath) : [];
  return resultOf({ measured, pairs, count: work.full.count, checks, profiles });
}

/** With the hash chain and without; they take turns to be first. */
async function drainBoth(work, backlog, isPlainFirst) {
  const found = {};
  for (const isPlain of [isPlainFirst, !isPlainFirst]) found[isPlain] = await drain(work, backlog, { isPlain });
  return { ...found.false, without: found.true };
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

/** A backlog for each, with nothing else to look at. */
async function profileBoth(work, directory) {
  const tables = [];
  for (const name of ['relay', 'history']) {
    const watch = async (pids, load) => tables.push(...(await profiled({ name, pid: pids[name], load, directory })));
    await drain(work, work.full, { isPlain: false, watch });
  }
  return tables;
}

function resultOf({ measured, pairs, count, checks, profiles }) {
  const { limitRounds, productRounds } = measured;
  const unit = 'events a second';
  const chain = compare(
    { limitRounds: productRounds.map(({ without }) => without), productRounds },
    ({ rate }) => rate,
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
    tables: [{ title: 'rates', rows }, cpuTable(productRounds, count), ...profiles],
    checks: checks.all,
  };
}

function cpuTable(rounds, count) {
  const names = [...new Set(rounds.flatMap(({ cpuUs }) => [...cpuUs.keys()]))];
  const middle = (of, name) => median(rounds.map((round) => (of(round).get(name) ?? 0) / count));
  const rows = names
    .map((name) => [name, middle(({ cpuUs }) => cpuUs, name), middle(({ without }) => without.cpuUs, name)])
    .toSorted(([, a], [, b]) => b - a);
  const sum = (column) => rows.reduce((total, row) => total + row[column], 0);
  const head = ['', 'µs', 'without the chain'];
  return { title: 'where the CPU goes, µs an event', rows: [head, ...rows, ['in all', sum(1), sum(2)]] };
}
