// Benchmark: from nothing to the first confirmed transfer, and what it holds when nothing happens.
import { AgentClient } from '@agent-wallet/standalone';
import { mkdtemp, rm } from 'node:fs/promises';
import os from 'node:os';
import path from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { bundleStandalone, STANDALONE } from '../bundle.mjs';
import { Checks } from '../measuring/checks.mjs';
import { closing } from '../measuring/closing.mjs';
import { root } from '../running/process.mjs';
import { startProgram } from './against/product.mjs';
import { startBareParts } from './bare/start.mjs';
import { memoryOf } from './measure/memory.mjs';
import { compare, figure, inPairs, median } from './measure/pairs.mjs';
import { openRecipients, pour } from './world.mjs';

const IDLE_MS = 10_000;
const QUICK_IDLE_MS = 3_000;
const EMAIL = 'agent@agents.example';

/** Standalone against a Postgres, a sandbox and an empty Nest application, side by side. */
export async function measure({ pairs, isQuick }) {
  await bundleStandalone();
  const checks = new Checks();
  const idleMs = isQuick ? QUICK_IDLE_MS : IDLE_MS;
  const command = [process.execPath, '--enable-source-maps', path.join(root, STANDALONE)];
  const startProduct = (directory) => startProgram({ command, cwd: root, directory });
  const measured = await inPairs({
    pairs,
    limit: () => startRound({ name: 'bare parts', begin: startBareParts, idleMs, checks }),
    product: () => startRound({ name: 'standalone', begin: startProduct, idleMs, checks }),
    numberOf: ({ coldMs }) => coldMs,
  });
  const isPss = [...measured.limitRounds, ...measured.productRounds].every(({ pss }) => pss !== undefined);
  const memory = isPss ? 'pss' : 'rss';
  const by = (field) => compare(measured, (found) => found[field]);
  return {
    notes: `${pairs} pairs, slots of 0 ms; bare: Postgres, sandbox, an empty Nest application with the same packages`,
    figures: [
      figure('cold start until the first confirmed transfer', measured, { unit: 'ms', aim: { atMost: 2 } }),
      figure('warm start until then', by('warmMs'), { unit: 'ms', aim: { atMost: 1.5 } }),
      figure(`idle memory, ${memory.toUpperCase()}`, by(memory), { unit: 'MiB', aim: { atMost: 1.3 } }),
      figure('idle memory that is neither shared nor a file', by('own'), { unit: 'MiB' }),
    ],
    tables: [startTable(measured, ['bare parts', 'standalone'])],
    checks: checks.all,
  };
}

/**
 * A cold start, a stop, a warm start, and a rest. `begin(directory)` resolves to what runs: the `pid`s with what they have
 * started, `stop`, and either `confirmed` transfers or where to send the first one.
 */
export async function startRound({ name, begin, idleMs, checks }) {
  const directory = await mkdtemp(path.join(os.tmpdir(), 'bench-start-'));
  closing(directory, () => rm(directory, { recursive: true, force: true }));
  const cold = await timed(() => begin(directory));
  await cold.running.stop();
  const warm = await timed(() => begin(directory));
  checks.equal(`${name}: transfers confirmed`, cold.confirmed + warm.confirmed, 2);
  await sleep(idleMs);
  const memory = memoryOf(warm.running.pids ?? [warm.running.pid]);
  await warm.running.stop();
  await rm(directory, { recursive: true, force: true });
  return { coldMs: cold.ms, warmMs: warm.ms, ...memory };
}

/** Medians of what `startRound` found. */
export function startTable({ limitRounds, productRounds }, [limit, product]) {
  const fields = ['coldMs', 'warmMs', 'processes', 'rss', 'own'];
  const row = (name, rounds) => [name, ...fields.map((field) => median(rounds.map((found) => found[field])))];
  const heading = ['', 'cold ms', 'warm ms', 'processes', 'RSS MiB', 'own MiB'];
  return { title: 'medians', rows: [heading, row(limit, limitRounds), row(product, productRounds)] };
}

async function timed(begin) {
  const startedAtMs = performance.now();
  const running = await begin();
  const confirmed = running.confirmed ?? (await firstTransfer(running));
  return { running, confirmed, ms: performance.now() - startedAtMs };
}

/** An agent logs in, gets money and sends some. @returns how many transfers were confirmed */
async function firstTransfer({ url, sandbox }) {
  const agent = await AgentClient.logIn(url(), sandbox, EMAIL);
  const [to] = await openRecipients({ sandbox }, 1);
  await pour({ sandbox }, [agent.address], 'SOL', 1);
  await pour({ sandbox }, [agent.address], 'USDC', 100);
  const { status, body } = await agent.transfer({ to, amount: 0.5, mint: 'USDC' });
  return status === 200 && body.data.status === 'confirmed' ? 1 : 0;
}
