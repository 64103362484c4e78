import { eventually } from '@agent-wallet/testing';
import { afterAll, afterEach, beforeAll, describe, expect, it } from '@jest/globals';
import { execFile } from 'node:child_process';
import { existsSync } from 'node:fs';
import { readFile } from 'node:fs/promises';
import path from 'node:path';
import { promisify } from 'node:util';
import { AgentClient, curlWalkthrough, SandboxClient, walkthrough } from '../src/index.js';
import { Copies, type Copy, end } from './harness/copies.js';
import { newRecipient } from './harness/recipient.js';
import { transfersOf, usedWhenQuiet } from './harness/spending.js';

const ROOT = path.join(import.meta.dirname, '..', '..', '..');

const standalone = new Copies('main');
/** Of all tests of a running copy. */
const running = new Copies('main');

afterEach(() => standalone.clean());

describe('a standalone copy', () => {
  it('rejects wrong settings before it creates anything', async () => {
    const directory = path.join(await standalone.dataDir(), 'data');
    const wrong = { PORT: 'abc', SANDBOX_SLOT_MS: '-1', EXPIRY_MARGIN_BLOCKS: 'few' };
    const { child, output } = await standalone.attempt(directory, wrong);
    expect(child.exitCode).toBe(1);
    for (const name of Object.keys(wrong)) expect(output()).toContain(`  ${name}: `);
    expect(existsSync(directory)).toBe(false);
  });
});

describe('a running copy', () => {
  let directory: string;
  let one: Copy;

  beforeAll(async () => {
    directory = await running.dataDir();
    one = await running.start(directory);
    const sandbox = new SandboxClient(one.adminUrl);
    await sandbox.setPrice({ freeze: true });
    await sandbox.setPrice({ token: 'USDC', usd: 1 });
  });

  afterAll(() => running.clean());

  it('does what its walk-through says', async () => {
    const { url, adminUrl, output } = one;
    expect(output()).toContain(walkthrough(url, adminUrl));
    const env = { ...process.env, AW_HOME: path.join(await standalone.dataDir(), 'aw') };
    const shell = promisify(execFile)('bash', ['-e', '-c', walkthrough(url, adminUrl)], { cwd: ROOT, env });
    const { stdout, stderr } = await shell;
    expect(stdout).toMatch(/^Sent +12\.5 USDC to /m);
    expect(stdout).toMatch(/^Traded +25 USDC for 0\.\d+ SOL$/m);
    expect(stdout).toMatch(/^Bought +3 yes of /m);
    expect(stdout.match(/(prediction_buy|trade|transfer) .* confirmed/g)).toHaveLength(3);
    expect(stderr).toMatch(/single_transaction_limit/);
    expect(stdout).toMatch(/\n3\n$/);
  });

  it('does what its walk-through with curl says', async () => {
    const { url, adminUrl } = one;
    const { stdout } = await promisify(execFile)('bash', ['-e', '-c', curlWalkthrough(url, adminUrl)]);
    expect(stdout).toMatch(/"amount":"12.5 USDC"/);
    expect(stdout).toMatch(/"inputAmount":"25 USDC","outputAmount":"0\.\d+ SOL"/);
    expect(stdout).toMatch(/"status":"confirmed"/);
    expect(stdout).toMatch(/"status":"filled",.*"orderId":"[\w-]+",.*"count":3,/);
    expect(stdout).toMatch(/"action":"prediction_buy"/);
    expect(stdout).toMatch(/"rule":"single_transaction_limit"/);
  });

  it('makes another say what to do when a port is taken, and when its folder is in use', async () => {
    const samePort = await standalone.attempt(await standalone.dataDir(), { PORT: new URL(one.url).port });
    expect(samePort.child.exitCode).toBe(1);
    expect(samePort.output()).toMatch(/PORT: port \d+ is in use\. .* set PORT to a free port/);
    expect(samePort.output()).not.toMatch(/^ +at /m);
    const consolePort = new URL(one.consoleUrl).port;
    const sameConsole = await standalone.attempt(await standalone.dataDir(), { CONSOLE_PORT: consolePort });
    expect(sameConsole.child.exitCode).toBe(1);
    expect(sameConsole.output()).toContain(`CONSOLE_PORT: port ${consolePort} is in use`);
    expect(sameConsole.output()).not.toMatch(/^ +at /m);
    const { port } = new URL(one.adminUrl);
    const sandboxPort = await standalone.attempt(await standalone.dataDir(), { SANDBOX_RPC_PORT: port });
    expect(sandboxPort.child.exitCode).toBe(1);
    expect(sandboxPort.output()).toContain(`SANDBOX_RPC_PORT: port ${port} is in use`);
    expect(sandboxPort.output()).not.toMatch(/^ +at /m);
    const beside = { SANDBOX_WS_PORT: port };
    const webSocketPort = await standalone.attempt(await standalone.dataDir(), beside);
    expect(webSocketPort.output()).toContain(
      `SANDBOX_WS_PORT: port ${port} (the WebSocket of the RPC port, SANDBOX_RPC_PORT + 1 unless set) is in use`,
    );
    const sameFolder = await standalone.attempt(directory);
    expect(sameFolder.child.exitCode).toBe(1);
    expect(sameFolder.output()).toContain('set DATA_DIR');
  });

  it('keeps agents, money and history through a kill -9 and a second start', async () => {
    const sandbox = new SandboxClient(one.adminUrl);
    const agent = await AgentClient.logIn(one.url, sandbox, 'a@agents.example');
    await sandbox.faucet(agent.address, 'SOL', 1);
    const sent = await agent.transfer({ to: newRecipient(), amount: 0.1 });
    expect(sent.status).toBe(200);
    await end(one.child, 'SIGKILL');

    const limits = { RATE_LIMIT_IP_PER_MINUTE: '100000', RATE_LIMIT_AGENT_PER_MINUTE: '100000' };
    const ports = { PORT: new URL(one.url).port, SANDBOX_ADMIN_PORT: new URL(one.adminUrl).port };
    one = await running.start(directory, { ...limits, ...ports, SANDBOX_SLOT_MS: '50' });
    const { body } = await agent.balances();
    expect(body.data.sol.balance).toBeCloseTo(0.899995, 9);
    const records = await eventually(
      () => transfersOf(agent),
      (found) => found[0]?.status === 'confirmed',
    );
    expect(records[0]!.signature).toBe(sent.body.data.signature);
  });

  it('goes on without a restart when its database is killed under transfers, and loses and doubles nothing', async () => {
    const { child, url, adminUrl } = one;
    const sandbox = new SandboxClient(adminUrl);
    await sandbox.setPrice({ freeze: true });
    await sandbox.setPrice({ token: 'USDC', usd: 1 });
    const agent = await AgentClient.logIn(url, sandbox, 'b@agents.example');
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
    await AgentClient.logIn(url, sandbox, 'c@agents.example');
    expect(await end(child, 'SIGTERM')).toBe(0);
  });
});
