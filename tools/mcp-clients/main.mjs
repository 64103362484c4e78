#!/usr/bin/env node
// Whether official MCP clients can use the wallet: `npm run mcp-clients -- --help`.
import assert from 'node:assert/strict';
import { mkdtemp, rm } from 'node:fs/promises';
import os from 'node:os';
import path from 'node:path';
import { parseArgs } from 'node:util';
import { closeAll, closing } from '../measuring/closing.mjs';
import { NO_LIMITS } from '../measuring/no-limits.mjs';
import { ensureInstalled } from '../running/install.mjs';
import { run } from '../running/process.mjs';
import { FIRST_TASK, FUNDS, SENT, TASKS, TRADED } from './tasks.mjs';

const HELP = `Usage: npm run mcp-clients [-- --client NAME]

Starts the wallet, and does the walk-through of README with official MCP clients, each with an agent of its own: read the
balances, send 12.5 USDC, trade 25 USDC for SOL, buy 3 contracts, read the history, and exceed the limit with 101 USDC.
Compares every result, and at the end what the chain says that was paid.

  --client NAME   ts, ts-legacy (the revision 2025-11-25), stdio (through \`aw mcp\`), python (needs Python 3.11 or newer),
                  or inspector (its command line, with the first task also in the legacy revision); all when omitted
  --help          this text

Clients are pinned. What is missing is installed once, below node_modules/.cache.`;

const MODERN = '2026-07-28';
const USDC_BALANCE = 250_000_000n;
const FAUCET_USDC = 1;
const FAUCET_UNITS = 1_000_000n;

/**
 * Ways to connect, by the names of the clients. Packages are imported once they are installed.
 * `era`: revision that the client must have negotiated, in its own words; `tasks`: all when omitted.
 */
const CLIENTS = {
  ts: [
    {
      era: 'modern',
      connect: async (to) => (await import('./typescript.mjs')).connectHttp(to, { pin: MODERN }),
    },
  ],
  'ts-legacy': [
    {
      era: 'legacy',
      connect: async (to) => (await import('./typescript.mjs')).connectHttp(to, 'legacy'),
    },
  ],
  stdio: [
    {
      era: 'modern',
      connect: async (to) => (await import('./typescript.mjs')).connectStdio(to, { pin: MODERN }),
    },
  ],
  python: [
    {
      era: MODERN,
      install: async () => void (await (await import('./python.mjs')).installPython()),
      connect: async (to) => (await import('./python.mjs')).connectPython(to),
    },
  ],
  inspector: ['modern', 'legacy'].map((era) => ({
    era,
    tasks: era === 'legacy' ? FIRST_TASK : TASKS,
    install: async () => (await import('./inspector.mjs')).reasonWithoutInspector(),
    connect: async (to) => (await import('./inspector.mjs')).connectInspector(to, era),
  })),
};

async function startWallet() {
  const { code } = await run([process.execPath, 'tools/build.mjs']);
  if (code !== 0) throw new Error('The build failed.');
  const { Deployment } = await import('@agent-wallet/standalone/testing');
  const starting = Deployment.start({ slotMs: 0, environment: NO_LIMITS });
  // An interruption may come before all of it runs.
  return closing(starting, (each) =>
    each.then(
      (deployment) => deployment.stop(),
      () => undefined,
    ),
  );
}

/** Installs what clients need. @returns those that can run, and why the others cannot */
async function install(names) {
  const [able, skipped] = [[], []];
  for (const name of names) {
    const reason = await CLIENTS[name][0].install?.();
    if (reason === undefined) able.push(name);
    else skipped.push(`${name}: ${reason}`);
  }
  return { able, skipped };
}

/** Does the tasks of one way to connect. @returns how many, and why it failed, if it did */
async function use({ era, connect, tasks = TASKS }, label, { deployment, folder }) {
  const { newAddress } = await import('../bench/intent.mjs');
  const { walk } = await import('./walk.mjs');
  let count = 0;
  const done = (name) => {
    count += 1;
    console.log(`  ok      ${label}: ${name}`);
  };
  try {
    const agent = await deployment.agent(FUNDS);
    const to = newAddress();
    // An address that holds the token already costs the sender no rent.
    await deployment.sandbox.faucet(to, 'USDC', FAUCET_USDC);
    const client = await connect({ api: deployment.url(), token: agent.token, folder });
    assert.equal(client.era, era, 'The client must negotiate its revision.');
    const used = tasks.flatMap(({ calls }) => calls.map(({ tool }) => tool));
    assert.deepEqual(
      [...new Set(used)].filter((name) => !client.tools.includes(name)),
      [],
      'Every tool must be listed.',
    );
    done(`connect (${client.era}) and list ${client.tools.length} tools`);
    const values = await walk(client, tasks, { given: { to }, done });
    if (tasks === TASKS) await checkChain(deployment.sandbox, agent.address, values);
    return { count };
  } catch (error) {
    console.log(`  FAILED  ${label}: ${error.message}`);
    return { count, failure: `${label}: ${error.message.split('\n')[0]}` };
  }
}

/** Compares the chain with what was paid. */
async function checkChain(sandbox, wallet, { to, cost }) {
  const [received, left] = await Promise.all([to, wallet].map((address) => sandbox.balanceRaw(address, 'USDC')));
  assert.equal(received - FAUCET_UNITS, SENT, 'The recipient must have been paid once.');
  assert.equal(left, USDC_BALANCE - SENT - TRADED - BigInt(cost), 'The wallet must have paid each operation once.');
}

async function useAll(names) {
  const { able, skipped } = await install(names);
  for (const line of skipped) console.log(`  skipped  ${line}`);
  if (able.length === 0) return true;
  const deployment = await startWallet();
  const folder = closing(await mkdtemp(path.join(os.tmpdir(), 'mcp-clients-')), (each) =>
    rm(each, { recursive: true }),
  );
  const results = [];
  for (const name of able) {
    for (const way of CLIENTS[name]) {
      const label = CLIENTS[name].length > 1 ? `${name}, ${way.era}` : name;
      results.push(await use(way, label, { deployment, folder }));
    }
  }
  const failures = results.flatMap(({ failure }) => failure ?? []);
  const count = results.reduce((sum, each) => sum + each.count, 0);
  console.log(`${able.join(', ')}: ${count} passed, ${failures.length} failed.`);
  for (const line of failures) console.log(`  FAILED   ${line}`);
  return failures.length === 0;
}

async function main() {
  const { values } = parseArgs({ options: { client: { type: 'string' }, help: { type: 'boolean', short: 'h' } } });
  if (values.help) {
    console.log(HELP);
    return 0;
  }
  const names = Object.keys(CLIENTS);
  if (values.client !== undefined && !names.includes(values.client))
    throw new Error(`--client must be ${names.join(' or ')}.`);
  await ensureInstalled();
  return (await useAll(values.client === undefined ? names : [values.client])) ? 0 : 1;
}

let isInterrupted = false;
for (const signal of ['SIGINT', 'SIGTERM'])
  process.once(signal, () => {
    isInterrupted = true;
    void closeAll().then(() => process.exit(130));
  });
process.exitCode = await main().catch((error) => {
  console.error(error.message);
  return 1;
});
// An interrupted run fails before all that it started has ended.
if (!isInterrupted) {
  await closeAll();
  process.exit();
}
