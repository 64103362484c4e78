// The day itself.
import { Deployment } from '@agent-wallet/standalone/testing';
import { setTimeout as sleep } from 'node:timers/promises';
import { Checks } from '../measuring/checks.mjs';
import { closing } from '../measuring/closing.mjs';
import { NO_LIMITS } from '../measuring/no-limits.mjs';
import { BusyAgent } from './agents.mjs';
import { openLedger } from './ledger.mjs';
import { attributeOperatorsMoney, openReconcile } from './predictions/full-sums.mjs';
import { Random } from './random.mjs';
import { reconcile } from './reconcile.mjs';
import { reportOf } from './report.mjs';
import { makeTrouble } from './trouble.mjs';

const COPIES = 2;
const SLOT_MS = 100;
const START = { SOL: 5, USDC: 200 };
const START_RAW = { SOL: 5_000_000_000n, USDC: 200_000_000n };

const AGENTS = 12;
const MARKETS = 6;
const DEPTH = 1_000_000;

/** Lets agents act under trouble for some minutes, waits until all is quiet, and compares the ledger. */
export async function soakDay({ minutes, agents = AGENTS, seed }) {
  console.log(`soaking for ${minutes} minutes with seed ${seed}`);
  const result = await soak({ minutes, agents, seed });
  const report = reportOf({ minutes, agents, seed, ...result });
  return { heading: 'Load, kills and faults', report, isGood: result.checks.all.every(({ ok }) => ok) };
}

async function soak({ minutes, agents: count, seed }) {
  const deployment = await Deployment.start({ copies: COPIES, slotMs: SLOT_MS, environment: NO_LIMITS });
  closing(deployment, () => deployment.stop());
  const urls = [deployment.url(0), deployment.url(1)];
  const agents = [];
  for (let i = 0; i < count; i += 1) agents.push(await deployment.agent(START));
  const operator = closing(await openReconcile(deployment), (opened) => opened.close());
  await attributeOperatorsMoney(operator);
  const tickers = await openMarkets(deployment.sandbox);
  const others = agents.map(({ address }) => address);
  const busy = agents.map((agent, i) => {
    const random = new Random(seed + 1 + i);
    const not = others.filter((address) => address !== agent.address);
    return Object.assign(new BusyAgent({ agent, urls, sandbox: deployment.sandbox, others: not, tickers, random }), {
      start: START_RAW,
    });
  });
  const endsAtMs = performance.now() + minutes * 60_000;
  const isOver = () => performance.now() > endsAtMs;
  const [trouble] = await Promise.all([
    makeTrouble({ deployment, copies: COPIES, random: new Random(seed), isOver }),
    reportProgress(busy, endsAtMs),
    ...busy.map((each) => each.live(isOver)),
  ]);
  const ledger = closing(openLedger(deployment), (opened) => opened.close());
  await ledger.quiet();
  const checks = new Checks();
  await reconcile({ deployment, busy, query: ledger.query, operator, checks });
  return { busy, trouble, checks };
}

/** Markets that no agent can empty; their tickers. */
async function openMarkets(sandbox) {
  const tickers = Array.from({ length: MARKETS }, (_, i) => `SOAK-${i}`);
  for (const ticker of tickers) {
    await sandbox.addMarket({ ticker, title: `${ticker}?`, yesBid: 47, yesAsk: 51, size: DEPTH });
  }
  return tickers;
}

async function reportProgress(busy, endsAtMs) {
  for (let reportedAtMs = performance.now(); performance.now() < endsAtMs; await sleep(1_000)) {
    if (performance.now() - reportedAtMs < 60_000) continue;
    reportedAtMs = performance.now();
    console.log(progressOf(busy, endsAtMs));
  }
}

function progressOf(busy, endsAtMs) {
  const sum = (key) => busy.reduce((total, { counts }) => total + counts[key], 0);
  const leftMinutes = Math.max(0, (endsAtMs - performance.now()) / 60_000).toFixed(0);
  return `  ${leftMinutes} min left: ${sum('transfers')} transfers, ${sum('trades')} trades, ${sum('orders')} orders, ${sum('deposits')} deposits, ${sum('retries')} retries`;
}
