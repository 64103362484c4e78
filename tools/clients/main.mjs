#!/usr/bin/env node
// Whether clients pay once: `npm run clients -- --help`.
import { spawn } from 'node:child_process';
import { mkdtemp, rm } from 'node:fs/promises';
import os from 'node:os';
import path from 'node:path';
import { parseArgs } from 'node:util';
import { closeAll, closing } from '../measuring/closing.mjs';
import { prepareSdk, SDK } from '../python-sdk/prepare.mjs';
import { ensureInstalled } from '../running/install.mjs';
import { root, run } from '../running/process.mjs';
import { Random } from '../soak/random.mjs';
import { startHostileProxy } from './hostile-proxy.mjs';

const HELP = `Usage: npm run clients [-- OPTIONS]

Starts the wallet behind a proxy that loses requests and responses, breaks them off, delays them, and answers 503 and 429.
Each run pays once: its client is killed (SIGKILL) at another moment, and started again until it has said that it paid.
Exactly one payment must have landed.

  --client NAME   ts (the default), cli, or python (needs Python 3.11 or newer)
  --runs N        200 when omitted
  --seed N        of the faults and the moments; shown with the result
  --scenario      instead: one scenario through every client, each at a wallet of its own (login, every action, refusals,
                  approvals of an owner, pages, events); the results must be equal to the base unit
  --help          this text`;

/** Programs of each client: one pays once as the environment says, one does the scenario. */
const CLIENTS = {
  ts: { pay: 'pay.mjs', scenario: 'scenario/ts.mjs' },
  cli: { pay: 'pay-cli.mjs', scenario: 'scenario/cli.mjs' },
  python: { pay: 'pay.py', scenario: 'scenario/scenario.py' },
};

/** Returns the command of a client's program, and what it needs in its environment. */
async function programOf(client, work) {
  const file = path.join(import.meta.dirname, CLIENTS[client][work]);
  if (client !== 'python') return { command: [process.execPath, file], needs: {} };
  return { command: [path.join(await prepareSdk(), 'python'), file], needs: { PYTHONPATH: path.join(SDK, 'src') } };
}

/** Moments at which a client is killed, from its start on; the last ones may come after its end. */
const MOMENTS = 20;
const LAST_MOMENT_MS = 1_500;
const STARTS = 10;
const USDC_DECIMALS = 6;

async function startWallet() {
  const { code } = await run([process.execPath, 'tools/build.mjs']);
  if (code !== 0) throw new Error('The build failed.');
  const { Deployment } = await import('@agent-wallet/standalone/testing');
  const unlimited = ['IP', 'AGENT', 'OWNER'].map((who) => [`RATE_LIMIT_${who}_PER_MINUTE`, '1000000']);
  const environment = Object.fromEntries(unlimited);
  return closing(await Deployment.start({ slotMs: 0, environment }), (each) => each.stop());
}

/** Runs a client until it ends or is killed. @returns whether it said that it has paid, and its errors */
function paid(command, env, killAfterMs) {
  return new Promise((resolve, reject) => {
    const child = spawn(command[0], command.slice(1), { cwd: root, env: { ...process.env, ...env }, stdio: 'pipe' });
    let [output, errors] = ['', ''];
    child.stdout.on('data', (chunk) => (output += chunk));
    child.stderr.on('data', (chunk) => (errors += chunk));
    const timer = killAfterMs === undefined ? undefined : setTimeout(() => child.kill('SIGKILL'), killAfterMs);
    child.on('error', reject);
    child.on('close', () => {
      clearTimeout(timer);
      resolve({ hasPaid: output !== '', errors });
    });
  });
}

async function payOnce({ agent, command, env, to, amount, killAfterMs }) {
  const own = { ...env, TOKEN: agent.token, TO: to, AMOUNT: amount };
  let { hasPaid, errors } = await paid(command, own, killAfterMs);
  for (let start = 1; !hasPaid && start < STARTS; start += 1) ({ hasPaid, errors } = await paid(command, own));
  if (!hasPaid) throw new Error(`A client did not succeed in ${STARTS} starts.\n${errors}`);
}

async function measure({ client, runs, seed }) {
  const { newAddress } = await import('../bench/intent.mjs');
  const { command, needs } = await programOf(client, 'pay');
  const random = new Random(seed);
  const deployment = await startWallet();
  const proxy = closing(await startHostileProxy(deployment.url(), random), (each) => each.stop());
  const folder = closing(await mkdtemp(path.join(os.tmpdir(), 'clients-')), (each) => rm(each, { recursive: true }));
  const agent = await deployment.agent({ SOL: 5, USDC: 450 });
  const wrong = [];
  for (let n = 0; n < runs; n += 1) {
    const to = newAddress();
    await deployment.sandbox.faucet(to, 'USDC', 1);
    const units = BigInt(n + 1);
    const amount = `0.${units.toString().padStart(USDC_DECIMALS, '0')}`;
    const killAfterMs =
      Math.round((LAST_MOMENT_MS / MOMENTS) * ((n % MOMENTS) + 1)) - random.integer(0, LAST_MOMENT_MS / MOMENTS - 1);
    const env = { ...needs, API: proxy.url, STORE: folder };
    await payOnce({ agent, command, env, to, amount, killAfterMs });
    const got = (await deployment.sandbox.balanceRaw(to, 'USDC')) - 1_000_000n;
    if (got !== units) wrong.push(`run ${n + 1}, killed after ${killAfterMs} ms: ${got} instead of ${units}`);
    if ((n + 1) % MOMENTS === 0) console.log(`  ${n + 1} of ${runs} runs, ${wrong.length} wrong`);
  }
  const faults = [...proxy.counts].map(([name, count]) => `${name} ${count}`).join(', ');
  console.log(`${runs} runs of ${client}, seed ${seed}: ${wrong.length} wrong. Faults: ${faults}.`);
  for (const line of wrong) console.log(`  ${line}`);
  return wrong.length === 0;
}

async function compare() {
  const { newAddress } = await import('../bench/intent.mjs');
  const { compareClients } = await import('./scenario/compare.mjs');
  const clients = {};
  for (const name of Object.keys(CLIENTS)) clients[name] = await programOf(name, 'scenario');
  return compareClients(clients, { startWallet, newAddress });
}

async function main() {
  const options = {
    client: { type: 'string', default: 'ts' },
    runs: { type: 'string', default: '200' },
    seed: { type: 'string', default: String(process.pid) },
    scenario: { type: 'boolean' },
    help: { type: 'boolean', short: 'h' },
  };
  const { values } = parseArgs({ options });
  if (values.help) {
    console.log(HELP);
    return 0;
  }
  if (!Object.hasOwn(CLIENTS, values.client)) throw new Error(`--client must be ${Object.keys(CLIENTS).join(' or ')}.`);
  const [runs, seed] = [Number(values.runs), Number(values.seed)];
  if (![runs, seed].every((each) => Number.isSafeInteger(each) && each > 0))
    throw new Error('--runs and --seed are whole numbers above 0.');
  await ensureInstalled();
  if (values.scenario) return (await compare()) ? 0 : 1;
  return (await measure({ client: values.client, runs, seed })) ? 0 : 1;
}

for (const signal of ['SIGINT', 'SIGTERM']) process.once(signal, () => void closeAll().then(() => process.exit(130)));
process.exitCode = await main().catch((error) => {
  console.error(error.message);
  return 1;
});
await closeAll();
process.exit();
