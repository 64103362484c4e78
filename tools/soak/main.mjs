#!/usr/bin/env node
// A long day of load and trouble, and whether the books agree at its end: `npm run soak -- --help`.
import { randomInt } from 'node:crypto';
import { writeFile } from 'node:fs/promises';
import path from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { parseArgs } from 'node:util';
import { closeAll, closing } from '../bench/measure/closing.mjs';
import { Checks } from '../bench/measure/checks.mjs';
import { ensureInstalled } from '../install.mjs';
import { root, run } from '../process.mjs';
import { BusyAgent } from './agents.mjs';
import { openBooks } from './books.mjs';
import { Random } from './random.mjs';
import { reconcile } from './reconcile.mjs';
import { reportOf } from './report.mjs';
import { makeTrouble } from './trouble.mjs';

const HELP = `Usage: npm run soak -- [options]

Runs every service twice as processes of their own, has agents send, receive, read and change their policies, and kills
processes and arms faults of the chain at random. At the end chain, operations, reservations and history must agree to
the base unit; exits with 1 when they do not.

  --minutes N   how long (default 20)
  --agents N    how many agents act at once (default 12)
  --seed N      repeats the choices of a run (printed by each; the machine's timing stays its own)
  --write       writes the result to docs/soak.md
  --help        this text`;

const COPIES = 2;
const SLOT_MS = 100;
const NO_LIMITS = { RATE_LIMIT_IP_PER_MINUTE: '1000000', RATE_LIMIT_AGENT_PER_MINUTE: '1000000' };
const START = { SOL: 5, USDC: 200 };
const START_RAW = { SOL: 5_000_000_000n, USDC: 200_000_000n };

async function soak({ minutes, agents: count, seed }) {
  const { Deployment } = await import('@agent-wallet/standalone');
  const deployment = await Deployment.start({ copies: COPIES, slotMs: SLOT_MS, environment: NO_LIMITS });
  closing(deployment, () => deployment.stop());
  const urls = [deployment.url(0), deployment.url(1)];
  const agents = [];
  for (let i = 0; i < count; i += 1) agents.push(await deployment.agent(START));
  const others = agents.map(({ address }) => address);
  const busy = agents.map((agent, i) => {
    const random = new Random(seed + 1 + i);
    const not = others.filter((address) => address !== agent.address);
    return Object.assign(new BusyAgent({ agent, urls, sandbox: deployment.sandbox, others: not, random }), {
      start: START_RAW,
    });
  });
  const endsAtMs = performance.now() + minutes * 60_000;
  const isOver = () => performance.now() > endsAtMs;
  const [trouble] = await Promise.all([
    makeTrouble({ deployment, copies: COPIES, random: new Random(seed), isOver }),
    tellProgress(busy, endsAtMs),
    ...busy.map((each) => each.live(isOver)),
  ]);
  const books = openBooks(deployment);
  await books.quiet();
  const checks = new Checks();
  await reconcile({ deployment, busy, query: books.query, checks });
  return { busy, trouble, checks };
}

async function tellProgress(busy, endsAtMs) {
  for (let toldAtMs = performance.now(); performance.now() < endsAtMs; await sleep(1_000)) {
    if (performance.now() - toldAtMs < 60_000) continue;
    toldAtMs = performance.now();
    console.log(progressOf(busy, endsAtMs));
  }
}

function progressOf(busy, endsAtMs) {
  const sum = (key) => busy.reduce((total, { counts }) => total + counts[key], 0);
  const leftMinutes = Math.max(0, (endsAtMs - performance.now()) / 60_000).toFixed(0);
  return `  ${leftMinutes} min left: ${sum('transfers')} transfers, ${sum('deposits')} deposits, ${sum('retries')} retries`;
}

async function main() {
  const { values } = parseArgs({
    options: {
      minutes: { type: 'string', default: '20' },
      agents: { type: 'string', default: '12' },
      seed: { type: 'string', default: String(randomInt(2 ** 31)) },
      write: { type: 'boolean', default: false },
      help: { type: 'boolean', short: 'h', default: false },
    },
  });
  if (values.help) {
    console.log(HELP);
    return 0;
  }
  await ensureInstalled();
  const { code } = await run([process.execPath, 'tools/build.mjs']);
  if (code !== 0) throw new Error('The build failed.');
  const options = { minutes: Number(values.minutes), agents: Number(values.agents), seed: Number(values.seed) };
  console.log(`soaking for ${options.minutes} minutes with seed ${options.seed}`);
  const result = await soak(options);
  const report = reportOf({ ...options, ...result });
  console.log(`\n${report}`);
  if (values.write) await writeFile(path.join(root, 'docs', 'soak.md'), report);
  return result.checks.all.every(({ ok }) => ok) ? 0 : 1;
}

/** What was started ends with us, whatever ends us. */
async function leave(code) {
  await closeAll();
  await sleep(0);
  process.exit(code);
}

for (const signal of ['SIGINT', 'SIGTERM']) process.once(signal, () => void leave(130));
await leave(
  await main().catch((error) => {
    console.error(error);
    return 1;
  }),
);
