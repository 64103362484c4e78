import { clientTlsEnvironment, serverTlsEnvironment } from '@agent-wallet/platform';
import { builtProgram, eventually } from '@agent-wallet/testing';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import type { walletV1 } from '@agent-wallet/contracts';
import { type ChildProcess, spawn } from 'node:child_process';
import type { Client, Reply } from './client.js';
import { CONFIRMED, RECIPIENT } from './default-script.js';
import { RATE_LIMITS, World } from './world.js';

const MAIN = builtProgram('gateway');
const BODY = { to: RECIPIENT, amount: 64.1, mint: 'USDC' };

let world: World;
let client: Client;
const children: ChildProcess[] = [];
beforeAll(async () => {
  world = await World.open({
    rateLimits: { ...RATE_LIMITS, clientPerMinute: 10_000, agentPerMinute: 10_000, otpsPerTenMinutes: 100 },
  });
});
beforeEach(async () => {
  await world.reset();
  ({ client } = await world.login());
});
afterAll(async () => {
  for (const child of children) child.kill('SIGKILL');
  await world.close();
});

/** How long a claim stays that of a gateway that gives no sign of life. */
const CLAIM_LEASE_MS = 6_000;

/** Starts the built gateway as a process of its own; it shares database, keys and services with the test's. */
async function startProcess(): Promise<{ url: string; child: ChildProcess; exited: Promise<number | null> }> {
  const { settings } = world;
  const { host, port, user, password, database } = settings.database;
  const child = spawn(process.execPath, [MAIN], {
    stdio: ['ignore', 'ignore', 'inherit', 'ipc'],
    env: {
      PATH: process.env.PATH,
      PORT: '0',
      GRPC_ADDRESS: '127.0.0.1:0',
      DATABASE_URL: `postgres://${user}:${password.reveal()}@${host}:${port}/${database}`,
      ...serverTlsEnvironment(settings.tls),
      ...clientTlsEnvironment(settings.tls),
      WALLET_ADDRESS: settings.walletAddress,
      SWAP_ADDRESS: settings.swapAddress,
      PREDICTION_ADDRESS: settings.predictionAddress,
      POLICY_ADDRESS: settings.policyAddress,
      HISTORY_ADDRESS: settings.historyAddress,
      SOLANA_NETWORK: settings.network,
      PARTS: 'transfers',
      SMTP_URL: settings.smtpUrl.reveal(),
      MAIL_FROM: settings.mailFrom,
      JWT_KEYS_PATH: settings.jwt.keysPath,
      OTP_PEPPER: settings.otpPepper.reveal(),
      RATE_LIMIT_IP_PER_MINUTE: '10000',
      RATE_LIMIT_AGENT_PER_MINUTE: '10000',
      LOG_LEVEL: 'silent',
    },
  });
  children.push(child);
  const exited = new Promise<number | null>((resolve) => child.once('exit', resolve));
  const address = await new Promise<string>((resolve, reject) => {
    child.once('message', (message: { address: string }) => resolve(message.address));
    child.once('exit', (code) => reject(new Error(`the gateway exited with ${code}`)));
  });
  return { url: `http://${address}`, child, exited };
}

/** Repeats a request with its key as skill.md says, until it is answered with something else than "still running". */
async function insist(at: Client, key: string): Promise<Reply> {
  let answer: Reply | undefined;
  await eventually(async () => {
    answer = await at.transfer(BODY, key).catch(() => undefined);
    return answer !== undefined && answer.status !== 409;
  });
  return answer as Reply;
}

function operationsOf(asked: readonly walletV1.TransferRequest[]): Set<string> {
  return new Set(asked.map(({ operationId }) => operationId));
}

describe('a gateway that is killed', () => {
  it('while the wallet works: a repeat finds the one operation', async () => {
    const asked: walletV1.TransferRequest[] = [];
    const { url, child, exited } = await startProcess();
    world.script.wallet.transfer = async (request: walletV1.TransferRequest) => {
      asked.push(request);
      if (asked.length === 1) {
        child.kill('SIGKILL');
        await exited;
      }
      return CONFIRMED;
    };
    await expect(client.at(url).transfer(BODY, 'killed while working')).rejects.toThrow();
    world.clock.aheadMs = CLAIM_LEASE_MS;
    const answer = await insist(client, 'killed while working');
    expect([answer.status, answer.body.data.status]).toEqual([200, 'confirmed']);
    expect(operationsOf(asked)).toEqual(new Set([answer.body.data.transactionId]));
  });

  it('before it reached the wallet: nothing starts until the caller repeats', async () => {
    const asked: walletV1.TransferRequest[] = [];
    const { url, child, exited } = await startProcess();
    await world.services.wallet.kill();
    const lost = client.at(url).transfer(BODY, 'killed before');
    lost.catch(() => undefined);
    await eventually(async () => {
      const { rowCount } = await world.database.pool.query(
        `select from idempotency_records where idempotency_key = 'killed before' and state = 'claimed'`,
      );
      return rowCount === 1;
    });
    child.kill('SIGKILL');
    await exited;
    world.script.wallet.transfer = async (request: walletV1.TransferRequest) => {
      asked.push(request);
      return CONFIRMED;
    };
    await world.restartServices();
    expect(asked).toEqual([]);
    world.clock.aheadMs = CLAIM_LEASE_MS;
    const answer = await insist(client, 'killed before');
    expect(answer.status).toBe(200);
    expect(operationsOf(asked).size).toBe(1);
  });

  it('right after the wallet answered: a repeat gets that answer', async () => {
    const asked: walletV1.TransferRequest[] = [];
    const { url, child, exited } = await startProcess();
    world.script.wallet.transfer = async (request: walletV1.TransferRequest) => {
      asked.push(request);
      if (asked.length === 1) setImmediate(() => child.kill('SIGKILL'));
      return CONFIRMED;
    };
    await client
      .at(url)
      .transfer(BODY, 'killed after')
      .catch(() => undefined);
    await exited;
    world.clock.aheadMs = CLAIM_LEASE_MS;
    const answer = await insist(client, 'killed after');
    const data = answer.body.data.originalResponse ?? answer.body.data;
    expect([answer.status, data.transactionId]).toEqual([200, asked[0]?.operationId]);
    expect(operationsOf(asked).size).toBe(1);
  });
});

describe('SIGTERM under load', () => {
  it('answers everything that was accepted, once, and exits with 0', async () => {
    const effects = new Set<string>();
    let calls = 0;
    world.script.wallet.transfer = async ({ operationId }: walletV1.TransferRequest) => {
      calls += 1;
      await new Promise((resolve) => setTimeout(resolve, 400));
      effects.add(operationId);
      return CONFIRMED;
    };
    const { url, child, exited } = await startProcess();
    const at = client.at(url);
    const sent = Array.from({ length: 40 }, (_, n) => at.transfer(BODY, `term ${n}`).catch(() => undefined));
    await eventually(() => calls >= 10);
    child.kill('SIGTERM');
    const answers = await Promise.all(sent);
    expect(await exited).toBe(0);
    const answered = answers.filter((answer) => answer !== undefined);
    expect(answered.length).toBeGreaterThanOrEqual(10);
    expect(new Set(answered.map(({ status }) => status))).toEqual(new Set([200]));
    expect(effects.size).toBe(answered.length);
    expect(calls).toBe(answered.length);
    // A client that was refused repeats the call elsewhere with the same key, and nothing happens twice.
    for (let n = 0; n < 40; n += 1) expect((await client.transfer(BODY, `term ${n}`)).status).toBe(200);
    expect(effects.size).toBe(40);
  });

  it('says first that it is not ready', async () => {
    let release: (() => void) | undefined;
    world.script.wallet.transfer = async () => {
      await new Promise<void>((resolve) => {
        release = resolve;
      });
      return CONFIRMED;
    };
    const gateway = await world.start();
    const slow = client.at(gateway.url).transfer(BODY);
    await eventually(() => release !== undefined);
    const stopped = gateway.stop();
    await expect(client.at(gateway.url).get('/healthz')).rejects.toThrow();
    release?.();
    const answer = await slow;
    expect([answer.status, answer.headers.connection]).toEqual([200, 'close']);
    await stopped;
  });
});

describe('settings', () => {
  it('that are wrong stop the start with their names', async () => {
    const child = spawn(process.execPath, [MAIN], {
      stdio: ['ignore', 'ignore', 'pipe'],
      env: { PATH: process.env.PATH, PORT: 'eighty', OTP_PEPPER: 'short secret', TRUSTED_PROXIES: 'everybody' },
    });
    let printed = '';
    child.stderr.on('data', (chunk: Buffer) => (printed += chunk.toString()));
    const code = await new Promise((resolve) => child.once('exit', resolve));
    expect(code).toBe(1);
    for (const name of [
      'PORT',
      'GRPC_ADDRESS',
      'OTP_PEPPER',
      'TRUSTED_PROXIES',
      'DATABASE_URL',
      'SMTP_URL',
      'JWT_KEYS_PATH',
    ]) {
      expect(printed).toContain(name);
    }
    expect(printed).not.toContain('short secret');
  });
});
