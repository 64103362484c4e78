// The day itself.
import { Deployment } from '@agent-wallet/standalone';
import { setTimeout as sleep } from 'node:timers/promises';
import { Checks } from '../bench/measure/checks.mjs';
import { closing } from '../bench/measure/closing.mjs';
import { NO_LIMITS } from '../no-limits.mjs';
import { BusyAgent } from './agents.mjs';
import { openBooks } from './books.mjs';
import { Random } from './random.mjs';
import { reconcile } from './reconcile.mjs';
import { makeTrouble } from './trouble.mjs';

const COPIES = 2;
const SLOT_MS = 100;
const START = { SOL: 5, USDC: 200 };
const START_RAW = { SOL: 5_000_000_000n, USDC: 200_000_000n };

/** Lets agents act under trouble for some minutes, waits until all is quiet, and compares the books. */
export async function soak({ minutes, agents: count, seed }) {
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
