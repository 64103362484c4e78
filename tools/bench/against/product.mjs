// The product of a tree as it is started by hand: spoken to by its public API and the sandbox's admin API alone.
import { startEmbeddedPostgres } from '@agent-wallet/embedded';
import { callJson, SandboxClient } from '@agent-wallet/standalone';
import { eventually, freePorts } from '@agent-wallet/testing';
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtemp, rm } from 'node:fs/promises';
import os from 'node:os';
import path from 'node:path';
import { closing } from '../../measuring/closing.mjs';
import { NO_LIMITS } from '../../measuring/no-limits.mjs';
import { descendants, productProcess } from '../measure/cpu.mjs';
import { sum } from '../measure/pairs.mjs';
import { eachOf } from '../world.mjs';
import { commandOf } from './tree.mjs';

const START_WITHIN_MS = 120_000;
const STOP_WITHIN_MS = 20_000;
const QUIET_WITHIN_MS = 60_000;
const QUIET_POLL_MS = 250;

/** Starts a command of the product on a folder; resolves when it serves. */
export async function startProgram({ command: [program, ...args], cwd, directory, environment = {} }) {
  const [port, adminPort] = await freePorts(2);
  const ports = ['RPC', 'AGGREGATOR', 'EXCHANGE', 'SMTP'].map((part) => [`SANDBOX_${part}_PORT`, '0']);
  const env = {
    ...{
      PATH: process.env.PATH,
      HOME: process.env.HOME,
      LOG_LEVEL: 'error',
      DATA_DIR: directory,
      SANDBOX_SLOT_MS: '0',
    },
    ...{
      PORT: String(port),
      CONSOLE_PORT: '0',
      SANDBOX_ADMIN_PORT: String(adminPort),
      ...Object.fromEntries(ports),
      ...NO_LIMITS,
    },
    ...environment,
  };
  // A process group of its own: Ctrl-C is for us, who stop it in order.
  const child = spawn(program, args, { cwd, env, stdio: ['ignore', 'ignore', 'inherit'], detached: true });
  const exited = once(child, 'exit');
  const hasEnded = () => child.exitCode !== null || child.signalCode !== null;
  const stop = async () => {
    if (!hasEnded()) child.kill('SIGTERM');
    const force = setTimeout(() => process.kill(-child.pid, 'SIGKILL'), STOP_WITHIN_MS);
    await exited;
    clearTimeout(force);
  };
  closing(child, stop);
  const url = `http://127.0.0.1:${port}`;
  await eventually(() => hasEnded() || isReady(url), START_WITHIN_MS);
  if (hasEnded()) throw new Error(`${args.join(' ')} ended before it was ready`);
  return { url: () => url, sandbox: new SandboxClient(`http://127.0.0.1:${adminPort}`), pid: child.pid, stop };
}

/** Every service of a tree as a process (`npm run processes`), with a Postgres of its own. */
export async function startProcesses(tree, environment) {
  const directory = await mkdtemp(path.join(os.tmpdir(), 'bench-processes-'));
  closing(directory, () => rm(directory, { recursive: true, force: true }));
  const server = await startEmbeddedPostgres({ dataDir: path.join(directory, 'postgres') });
  closing(server, () => server.stop());
  const { host, port, user, database, password } = server;
  const DATABASE_URL = `postgres://${user}:${encodeURIComponent(password.reveal())}@${host}:${port}/${database}`;
  const running = await startProgram({
    ...{ command: await commandOf(tree, 'processes'), cwd: tree.directory, directory },
    environment: { ...environment, DATABASE_URL },
  });
  const postgres = [...descendants().values()].find(({ commandLine }) => commandLine.includes(server.dataDir));
  const ours = new Set([running.pid, postgres.pid]);
  const nameOf = (process) => (ours.has(process.top) ? (productProcess(process) ?? 'others') : undefined);
  return { ...running, nameOf };
}

/** What the public API says of an action: `quiet` resolves when all that were accepted are settled and recorded. */
export function openPublicLedgers(traffic, action) {
  const { agents } = traffic.world;
  const newest = (agent) => read(agent, `/wallets/me/history?action=${action}&limit=5`);
  const isSettled = async (agent) => (await read(agent, '/wallets/me/policy/usage')).reservedUsd === 0;
  /** Of the newest records of each agent none may be anything else. */
  const confirmed = async () => {
    const pages = await eachOf(agents, newest);
    const isOpen = pages.some(({ transactions }) => transactions.some(({ status }) => status !== 'confirmed'));
    return isOpen ? NaN : sum(pages.map(({ pagination }) => pagination.total));
  };
  const isQuiet = async () =>
    (await confirmed()) === traffic.accepted && (await eachOf(agents, isSettled)).every(Boolean);
  const quiet = () => eventually(isQuiet, Boolean, QUIET_WITHIN_MS, QUIET_POLL_MS);
  return { quiet, confirmed };
}

async function read({ baseUrl, token }, place) {
  const { status, body } = await callJson(baseUrl + place, { headers: { authorization: `Bearer ${token}` } });
  if (status !== 200) throw new Error(`${place} was answered with ${status}`);
  return body.data;
}

/** Before it listens there is no answer. */
const isReady = (url) =>
  fetch(`${url}/readyz`)
    .then(({ ok }) => ok)
    .catch(() => false);
