// Ten thousand random operations on prediction markets.
import { Deployment } from '@agent-wallet/standalone/testing';
import { closing } from '../../measuring/closing.mjs';
import { NO_LIMITS } from '../../measuring/no-limits.mjs';
import { openLedger } from '../ledger.mjs';
import { randomRun } from './random-run.mjs';

const AGENTS = 24;
const MARKETS = 20;
const DROPS_IN = 15;
/** More than agents can win in a day. */
const PAYOUTS = { TREASURY_PAYOUT_DAILY_LIMIT_USD: '10000000' };

/** Runs it, and tells what was done. @throws Error with the seed at the first thing that does not add up */
export async function soakPredictions({ operations, agents = AGENTS, seed }) {
  console.log(`${operations} operations on prediction markets with seed ${seed}`);
  const deployment = await Deployment.start({ environment: { ...NO_LIMITS, ...PAYOUTS } });
  closing(deployment, () => deployment.stop());
  const ledger = closing(openLedger(deployment), (opened) => opened.close());
  const startedAtMs = performance.now();
  const tell = (line) => console.log(`  ${line}`);
  const run = await randomRun({
    deployment,
    ledger,
    seed,
    operations,
    agents,
    markets: MARKETS,
    dropsIn: DROPS_IN,
    tell,
  });
  const minutes = (performance.now() - startedAtMs) / 60_000;
  return { heading: 'Prediction markets', report: reportOf({ ...run, agents, seed, minutes }), isGood: true };
}

function reportOf({ operations, settlements, counts, outages, agents, seed, minutes }) {
  const rows = [...Object.entries(counts), ['settled markets', settlements]].toSorted(([a], [b]) => (a < b ? -1 : 1));
  const [width, digits] = [Math.max(...rows.map(([name]) => name.length)), 5];
  const line = (name, count) => `| ${name.padEnd(width)} | ${String(count).padStart(digits)} |`;
  return `\`npm run soak -- predictions --operations ${operations} --agents ${agents} --seed ${seed}\`, ${minutes.toFixed(0)} minutes.
After every step, the agent's wallet, prediction balance and positions equalled the sum of its responses. After every hundred
operations, ledger, treasury, exchange, agents, policies, history and \`npm run reconcile\` agreed to the micro-dollar.

${line('Request and outcome', 'Count')}
| ${'-'.repeat(width)} | ${'-'.repeat(digits - 1)}: |
${rows.map(([name, count]) => line(name, count)).join('\n')}

Trouble: ${Object.entries(outages)
    .map(([name, count]) => `${name} × ${count}`)
    .join(', ')}.`;
}
