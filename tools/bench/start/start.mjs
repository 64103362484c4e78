// Benchmark: from nothing to the first confirmed transfer, and what it holds when nothing happens.
import { mkdtemp, rm } from 'node:fs/promises';
import os from 'node:os';
import path from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { bundleStandalone } from '../../bundle.mjs';
import { Checks } from '../measure/checks.mjs';
import { closing } from '../measure/closing.mjs';
import { figure } from '../measure/figure.mjs';
import { compare, inPairs } from '../measure/pairs.mjs';
import { median } from '../measure/statistics.mjs';
import { startBareParts } from './bare-start.mjs';
import { memoryOf } from './memory.mjs';
import { startProduct } from './product-start.mjs';

const IDLE_MS = 10_000;
const QUICK_IDLE_MS = 3_000;

/** Standalone against a Postgres, a sandbox and an empty Nest application, side by side. */
export async function measureStart({ pairs, isQuick }) {
  await bundleStandalone();
  const checks = new Checks();
  const idleMs = isQuick ? QUICK_IDLE_MS : IDLE_MS;
  const measured = await inPairs({
    pairs,
    limit: () => round({ name: 'bare parts', start: startBareParts, idleMs, checks }),
    product: () => round({ name: 'standalone', start: startProduct, idleMs, checks }),
    numberOf: ({ coldMs }) => coldMs,
  });
  const isPss = [...measured.limitRounds, ...measured.productRounds].every(({ pss }) => pss !== undefined);
  const memory = isPss ? 'pss' : 'rss';
  const by = (field) => compare(measured, (found) => found[field]);
  return {
    name: 'start',
    notes: `${pairs} pairs, slots of 0 ms; bare: Postgres, sandbox, an empty Nest application with the same packages`,
    figures: [
      figure('cold start until the first confirmed transfer', measured, { unit: 'ms', aim: { atMost: 2 } }),
      figure('warm start until then', by('warmMs'), { unit: 'ms', aim: { atMost: 1.5 } }),
      figure(`idle memory, ${memory.toUpperCase()}`, by(memory), { unit: 'MiB', aim: { atMost: 1.3 } }),
      figure('idle memory that is neither shared nor a file', by('own'), { unit: 'MiB' }),
    ],
    tables: [tableOf(measured)],
    checks: checks.all,
  };
}

/** A cold start, a stop, a warm start, and a rest. */
async function round({ name, start, idleMs, checks }) {
  const directory = await mkdtemp(path.join(os.tmpdir(), 'bench-start-'));
  closing(directory, () => rm(directory, { recursive: true, force: true }));
  const cold = await timed(() => start(directory));
  await cold.running.stop();
  const warm = await timed(() => start(directory));
  checks.equal(`${name}: transfers confirmed`, cold.running.confirmed + warm.running.confirmed, 2);
  await sleep(idleMs);
  const memory = memoryOf(warm.running.pids);
  await warm.running.stop();
  await rm(directory, { recursive: true, force: true });
  return { coldMs: cold.ms, warmMs: warm.ms, ...memory };
}

async function timed(start) {
  const startedAtMs = performance.now();
  const running = await start();
  return { running, ms: performance.now() - startedAtMs };
}

function tableOf({ limitRounds, productRounds }) {
  const middle = (rounds, numberOf) => median(rounds.map(numberOf));
  const row = (name, rounds) => [
    name,
    ...['coldMs', 'warmMs', 'processes', 'rss', 'own'].map((field) => middle(rounds, (found) => found[field])),
  ];
  const heading = ['', 'cold ms', 'warm ms', 'processes', 'RSS MiB', 'own MiB'];
  return { title: 'medians', rows: [heading, row('bare parts', limitRounds), row('standalone', productRounds)] };
}
