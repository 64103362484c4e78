import { afterEach, describe, expect, it } from '@jest/globals';
import { type ChildProcess, execFile, spawn } from 'node:child_process';
import { randomInt } from 'node:crypto';
import { mkdtemp, readFile, rm } from 'node:fs/promises';
import { createServer } from 'node:net';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { promisify } from 'node:util';
import { AgentClient, callJson, SandboxClient, walkthrough } from '../src/index.js';
import { eventually } from './harness/eventually.js';
import { newRecipient } from './harness/recipient.js';
import { transfersOf, usedWhenQuiet } from './harness/spending.js';

const MAIN = path.join(import.meta.dirname, '..', 'dist', 'main.js');

interface Copy {
  readonly child: ChildProcess;
  readonly url: string;
  readonly adminUrl: string;
  readonly output: () => string;
}

const copies: Copy[] = [];
const directories: string[] = [];

afterEach(async () => {
  for (const { child } of copies.splice(0)) await end(child, 'SIGTERM');
  await Promise.all(directories.splice(0).map((d) => rm(d, { recursive: true, force: true, maxRetries: 5 })));
});

async function dataDir(): Promise<string> {
  const directory = await mkdtemp(path.join(tmpdir(), 'standalone-'));
  directories.push(directory);
  return directory;
}

/** Below the range from which the system gives ports to connections, so that nobody takes it meanwhile. */
async function freePort(): Promise<number> {
  for (;;) {
    const port = randomInt(12_000, 32_000);
    const server = createServer();
    const isFree = await new Promise<boolean>((resolve) => {
      server.once('error', () => resolve(false));
      server.listen(port, '127.0.0.1', () => resolve(true));
    });
    if (!isFree) continue;
    await new Promise((resolve) => server.close(resolve));
    return port;
  }
}

/** Starts a copy as `npm start` does. @throws Error with what it printed when it ends instead of answering */
async function start(directory: string, environment: Record<string, string> = {}): Promise<Copy> {
  const copy = await attempt(directory, environment);
  if (copy.child.exitCode !== null) throw new Error(`it did not start: ${copy.output()}`);
  return copy;
}

/** Starts a copy, and waits until it says where it answers, or has ended. */
async function attempt(directory: string, environment: Record<string, string> = {}): Promise<Copy> {
  const parts = ['RPC', 'WS', 'AGGREGATOR', 'EXCHANGE', 'SMTP', 'ADMIN'].map((part) => `SANDBOX_${part}_PORT`);
  const names = ['PORT', ...parts];
  const ports = Object.fromEntries(
    await Promise.all(names.map(async (name) => [name, environment[name] ?? String(await freePort())])),
  ) as Record<string, string>;
  const child = spawn(process.execPath, [MAIN], {
    env: { PATH: process.env['PATH'], DATA_DIR: directory, LOG_LEVEL: 'silent', ...environment, ...ports },
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  let output = '';
  child.stdout.on('data', (chunk: Buffer) => (output += chunk.toString()));
  child.stderr.on('data', (chunk: Buffer) => (output += chunk.toString()));
  await eventually(
    async () => ({ output, exitCode: child.exitCode }),
    (seen) => seen.output.includes('Ctrl-C') || seen.exitCode !== null,
    60_000,
  );
  const copy = {
    child,
    url: `http://127.0.0.1:${ports['PORT']}`,
    adminUrl: `http://127.0.0.1:${ports['SANDBOX_ADMIN_PORT']}`,
    output: () => output,
  };
  copies.push(copy);
  return copy;
}

async function end(child: ChildProcess, signal: NodeJS.Signals): Promise<number | null> {
  if (child.exitCode !== null || child.signalCode !== null) return child.exitCode;
  const exited = new Promise<number | null>((resolve) => child.once('exit', resolve));
  child.kill(signal);
  return exited;
}

async function alive({ url }: Copy): Promise<boolean> {
  return (await callJson(`${url}/readyz`)).status === 200;
}

describe('a standalone copy', () => {
  it('keeps agents, money and history through a kill -9 and a second start', async () => {
    const directory = await dataDir();
    const first = await start(directory);
    const sandbox = new SandboxClient(first.adminUrl);
    const agent = await AgentClient.logIn(first.url, sandbox, 'a@agents.example');
    await sandbox.faucet(agent.address, 'SOL', 1);
    const sent = await agent.transfer({ to: newRecipient(), amount: 0.1 });
    expect(sent.status).toBe(200);
    await end(first.child, 'SIGKILL');

    const second = await start(directory, { PORT: new URL(first.url).port });
    const { body } = await agent.balances();
    expect(body.data.sol.balance).toBeCloseTo(0.899995, 9);
    const records = await eventually(
      () => transfersOf(agent),
      (found) => found[0]?.status === 'confirmed',
    );
    expect(records[0]!.signature).toBe(sent.body.data.signature);
    expect(await end(second.child, 'SIGTERM')).toBe(0);
  }, 120_000);

  it('goes on without a restart when its database is killed under transfers, and loses and doubles nothing', async () => {
    const directory = await dataDir();
    const limits = { RATE_LIMIT_IP_PER_MINUTE: '100000', RATE_LIMIT_AGENT_PER_MINUTE: '100000' };
    const { child, url, adminUrl } = await start(directory, { ...limits, SANDBOX_SLOT_MS: '50' });
    const sandbox = new SandboxClient(adminUrl);
    await sandbox.setPrice({ freeze: true });
    await sandbox.setPrice({ token: 'USDC', usd: 1 });
    const agent = await AgentClient.logIn(url, sandbox, 'a@agents.example');
    await sandbox.faucet(agent.address, 'SOL', 1);
    await sandbox.faucet(agent.address, 'USDC', 100);
    const recipients = Array.from({ length: 10 }, newRecipient);
    await Promise.all(recipients.map((to) => sandbox.faucet(to, 'USDC', 1)));
    const send = async (to: string): Promise<void> => {
      for (let attempt = 0; ; attempt += 1) {
        const ask = () => agent.transfer({ to, amount: 7, mint: 'USDC' }, `${to}-${attempt}`);
        const { status } = await eventually(ask, (answer) => ![202, 409].includes(answer.status), 60_000);
        if (status === 200) return;
        expect(status).toBeGreaterThanOrEqual(500);
        await new Promise((resolve) => setTimeout(resolve, 100));
      }
    };

    const all = Promise.all(recipients.map(send));
    const isUnderWay = () => sandbox.transactions(agent.address);
    await eventually(isUnderWay, (landed) => landed.length > 2);
    const [pid] = (await readFile(path.join(directory, 'postgres', 'cluster', 'postmaster.pid'), 'utf8')).split('\n');
    process.kill(Number(pid), 'SIGKILL');
    await all;

    for (const to of recipients) expect(await sandbox.balanceRaw(to, 'USDC')).toBe(8_000_000n);
    expect(await usedWhenQuiet(agent)).toBe(70_000_000n);
    await eventually(
      () => transfersOf(agent),
      (found) => found.filter(({ status }) => status === 'confirmed').length === recipients.length,
    );
    await AgentClient.logIn(url, sandbox, 'b@agents.example');
    expect(await end(child, 'SIGTERM')).toBe(0);
  }, 180_000);

  it('runs beside another copy', async () => {
    const [one, other] = await Promise.all([start(await dataDir()), start(await dataDir())]);
    expect([await alive(one), await alive(other)]).toEqual([true, true]);
  }, 120_000);

  it('says what to do when a port is taken, and when its folder is in use', async () => {
    const one = await start(await dataDir());
    const samePort = await attempt(await dataDir(), { PORT: new URL(one.url).port });
    expect(samePort.child.exitCode).toBe(1);
    expect(samePort.output()).toMatch(/port \d+ is taken: set PORT/);
    const sameFolder = await attempt(directories[0]!);
    expect(sameFolder.child.exitCode).toBe(1);
    expect(sameFolder.output()).toContain('set DATA_DIR');
  }, 120_000);

  it('does what its walk-through says', async () => {
    const { url, adminUrl, output } = await start(await dataDir());
    expect(output()).toContain(walkthrough(url, adminUrl));
    const { stdout } = await promisify(execFile)('bash', ['-e', '-c', walkthrough(url, adminUrl)]);
    expect(stdout).toMatch(/"amount":"12.5 USDC"/);
    expect(stdout).toMatch(/"inputAmount":"25 USDC","outputAmount":"0\.\d+ SOL"/);
    expect(stdout).toMatch(/"status":"confirmed"/);
    expect(stdout).toMatch(/"orderId":"[\w-]+",.*"count":3,.*"status":"filled"/);
    expect(stdout).toMatch(/"action":"prediction_buy"/);
    expect(stdout).toMatch(/"rule":"single_transaction_limit"/);
  }, 120_000);
});
