// Benchmark: how long after its commit an event can be seen in history.
import { setTimeout as sleep } from 'node:timers/promises';
import { Checks } from '../measure/checks.mjs';
import { figure } from '../measure/figure.mjs';
import { inPairs } from '../measure/pairs.mjs';
import { median, percentile } from '../measure/statistics.mjs';
import { makeStream, openBroker } from './broker.mjs';
import { openRound, openServer } from './databases.mjs';
import { startPart } from './parts.mjs';

const RATE_PER_SECOND = 500;
const LONG_MS = 15_000;
const QUICK_MS = 4_000;
const PATIENCE_MS = 30_000;
const POLL_MS = 20;
const POSTGRES = { kind: 'postgres' };

/** The 99th percentile at 500 events a second against that of a bare producer and consumer, for both streams. */
export async function measureEventLag({ pairs, isQuick }) {
  const durationMs = isQuick ? QUICK_MS : LONG_MS;
  const checks = new Checks();
  const kafka = await openBroker();
  const ground = await openServer();
  const bare = await openBare(await makeStream(kafka));
  const open = async (stream) => openProduct(stream, await openRound(ground));
  const sides = [
    ['Kafka', await open(await makeStream(kafka))],
    ['Postgres', await open(POSTGRES)],
  ];
  const figures = [];
  const rows = [['', 'p50', 'p90', 'p99', 'most']];
  for (const [name, product] of sides) {
    console.log(`  ${name}`);
    const measured = await inPairs({
      pairs,
      limit: () => latencies(bare, durationMs, checks),
      product: () => latencies(product, durationMs, checks),
      numberOf: p99,
    });
    const what = `commit to visible in history, p99, ${name}`;
    figures.push(figure(what, measured, { unit: 'ms', aim: { atMost: 10 } }));
    rows.push([`bare, beside ${name}`, ...speed(measured.limitRounds)], [name, ...speed(measured.productRounds)]);
    await expectRecorded(product, checks);
  }
  const notes = `${RATE_PER_SECOND} events a second, open loop, ${pairs} pairs of ${durationMs / 1_000} s`;
  return { name: 'event-lag', notes, figures, tables: [{ title: 'latency, ms', rows }], checks: checks.all };
}

const p99 = (all) => percentile(all, 0.99);
const speed = (rounds) => [0.5, 0.9, 0.99, 1].map((share) => median(rounds.map((all) => percentile(all, share))));

/** A bare producer and a bare consumer of a topic. */
async function openBare(stream) {
  const reader = await startPart('bare-reader-process.mjs', { stream });
  const writer = await startPart('writer-process.mjs', { stream, ratePerSecond: RATE_PER_SECOND, isBare: true });
  return { writer, seen: seenBy(reader), written: 0 };
}

/** A service that commits events, and history. */
async function openProduct(stream, round) {
  const { connections } = round;
  const history = await startPart('history-process.mjs', {
    connection: connections.history,
    stream,
    tellsBatches: true,
  });
  const task = { connection: connections.wallet, stream, ratePerSecond: RATE_PER_SECOND };
  return { writer: await startPart('writer-process.mjs', task), seen: seenBy(history), round, written: 0 };
}

function seenBy(reader) {
  const seen = new Map();
  reader.on(({ atMs, ids }) => ids?.forEach((id) => seen.has(id) || seen.set(id, atMs)));
  reader.go();
  return seen;
}

/** Milliseconds from there to be seen to seen, of every event of one round. */
async function latencies(side, durationMs, checks) {
  const { writer, seen } = side;
  const done = writer.next();
  writer.go({ durationMs });
  const { atMs } = await done;
  await writer.next(); // it is ready again
  side.written += atMs.length;
  const deadlineMs = performance.now() + PATIENCE_MS;
  while (seen.size < side.written && performance.now() < deadlineMs) await sleep(POLL_MS);
  checks.equal('every event is seen', seen.size, side.written);
  return atMs.map(([id, writtenMs]) => (seen.get(id) ?? Infinity) - writtenMs);
}

async function expectRecorded({ round: { sql }, written }, checks) {
  const [found] = await sql('select count(*)::int as n from history.events');
  checks.equal('every event is recorded once', found.n, written);
}
