import { runOps } from '@agent-wallet/ops';
import { eventually } from '@agent-wallet/testing';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import pg from 'pg';
import type { AgentClient } from '../src/index.js';
import { SERVICES } from '../src/infrastructure/infrastructure.js';
import { deploy, type Deployment } from './harness/deployment.js';
import { newRecipient } from './harness/recipient.js';
import { usageOf, usedWhenQuiet } from './harness/spending.js';

/*
 * A drill: a deployment is copied, moves money, and is restored from the copy. The copy is another database of the same
 * server, which is one of the signs by which a service detects a restore.
 */

const USDC = 1_000_000n;
/** Longer than any message lives, with the margin for a node that lags. */
const BLOCKS_PASS_SECONDS = 120;
const PROCESSES = SERVICES.map((service) => `${service}-0`);

let deployment: Deployment;
/** Moved money after the backup, with a key that is forgotten. */
let loser: AgentClient;
/** Has an operation open in the backup, which landed after it. */
let halfway: AgentClient;
/** Has lost nothing. */
let other: AgentClient;
const forgotten = { to: newRecipient(), amount: 10, mint: 'USDC' };
const begun = { to: newRecipient(), amount: 7, mint: 'USDC' };

beforeAll(async () => {
  deployment = await deploy();
  const fresh = () => deployment.agent({ SOL: 1, USDC: 100 });
  [loser, halfway, other] = [await fresh(), await fresh(), await fresh()];
  for (const { to } of [forgotten, begun]) await deployment.sandbox.faucet(to, 'USDC', 1);
  await deployment.crashAt('wallet-0', 'transfer.after-build');
  void halfway.transfer(begun, 'begun').catch(() => {});
  await deployment.ended('wallet-0');
  await stopped(['create database backup template %I']);
  await eventually(
    () => halfway.transfer(begun, 'begun'),
    ({ status }) => status === 200,
    60_000,
  );
  expect((await loser.transfer(forgotten, 'forgotten')).status).toBe(200);
  await stopped(['drop database %I', 'alter database backup rename to %I']);
});

afterAll(() => deployment?.stop());

/** Changes the database while no process runs, and starts everything again. */
async function stopped(statements: readonly string[]): Promise<void> {
  await Promise.all(PROCESSES.map((name) => deployment.kill(name).catch(() => {})));
  const { host, port, user, password } = deployment.infrastructure.postgres;
  const { database } = deployment.infrastructure.databases.events;
  const admin = new pg.Client({ host, port, user, password: password.reveal(), database: 'postgres' });
  await admin.connect();
  try {
    await admin.query('select pg_terminate_backend(pid) from pg_stat_activity where datname = $1', [database]);
    for (const each of statements) await admin.query(each.replace('%I', pg.escapeIdentifier(database)));
  } finally {
    await admin.end();
  }
  await Promise.all(PROCESSES.map((name) => deployment.restart(name)));
}

async function ops(...args: string[]): Promise<string> {
  const lines: string[] = [];
  await runOps(args, deployment.operatorEnvironment(), (line) => lines.push(line));
  return lines.join('\n');
}

const idOf = ({ token }: AgentClient): string =>
  (JSON.parse(Buffer.from(token.split('.')[1]!, 'base64url').toString()) as { sub: string }).sub;
const paid = (to: string) => deployment.sandbox.balanceRaw(to, 'USDC').then((balance) => balance - USDC);
/** What a refused transfer says in its header. */
async function retryAfter(): Promise<string | null> {
  const { headers } = await fetch(`${deployment.url()}/wallets/me/actions/transfer`, {
    method: 'POST',
    headers: { authorization: `Bearer ${other.token}`, 'content-type': 'application/json' },
    body: JSON.stringify(order()),
  });
  return headers.get('retry-after');
}

const order = () => ({ to: newRecipient(), amount: 0.01 });

describe('a deployment whose database was restored', () => {
  it('signs nothing before it has read the chain; reads go on', async () => {
    const before = await deployment.sandbox.transactions(other.address);
    const refused = await eventually(
      () => other.transfer(order()),
      ({ body }) => body.message.startsWith('The service is recovering'),
    );
    expect([refused.status, refused.body.data.code]).toEqual([503, 'SERVICE_UNAVAILABLE']);
    expect(await retryAfter()).toBe('30');
    expect((await other.balances()).status).toBe(200);
    expect(await ops('recovery', 'status')).toMatch(/PERMITS ARE SUSPENDED: .* wallets scanned/);
    expect(await deployment.sandbox.transactions(other.address)).toEqual(before);
  });

  it('goes on by itself once nothing of before can land; who lost nothing works as ever', async () => {
    await eventually(
      () => ops('recovery', 'status'),
      (printed) => printed.includes('blocks remaining'),
    );
    await deployment.sandbox.advanceClock(BLOCKS_PASS_SECONDS);
    await eventually(
      () => ops('recovery', 'status'),
      (printed) => printed.includes('Ended'),
      60_000,
    );
    const done = await eventually(
      () => other.transfer(order()),
      ({ status }) => status === 200,
    );
    expect(done.status).toBe(200);
  });

  it('counts what it has forgotten, and freezes whose it was: a retry does not pay again', async () => {
    const { used } = await usageOf(loser);
    // With the network fee, rounded up.
    expect([used >= 10n * USDC, used < 10n * USDC + 10_000n]).toEqual([true, true]);
    const retry = await loser.transfer(forgotten, 'forgotten');
    expect([retry.status, retry.body.data.rule]).toEqual([403, 'frozen']);
    expect(await paid(forgotten.to)).toBe(10n * USDC);
    const printed = await ops('recovery', 'status');
    expect(printed).toContain(`agent ${idOf(loser)} (frozen)`);
    expect(printed).toContain('Unrecorded transactions on chain: 2.');
  });

  it('does not make an open operation twice: it is held, and ends as what the chain shows', async () => {
    expect(await paid(begun.to)).toBe(7n * USDC);
    const id = /(\S+) {2}transfer {2}pending/.exec(await ops('operations', 'list', '--open'))![1]!;
    expect(await ops('operations', 'get', id)).toContain('It is left alone');
    expect(await ops('freezes', 'delete', idOf(halfway), '--reason', 'its operation is on chain')).toContain(
      'unfrozen',
    );
    const again = await eventually(
      () => halfway.transfer(begun, 'begun'),
      ({ status }) => status === 200,
      60_000,
    );
    expect(again.status).toBe(200);
    expect(await paid(begun.to)).toBe(7n * USDC);
    // Once, with the network fee, rounded up.
    const used = await usedWhenQuiet(halfway);
    expect([used >= 7n * USDC, used < 7n * USDC + 10_000n]).toEqual([true, true]);
  });

  it('does not recover again at its next start', async () => {
    await deployment.kill('policy-0');
    await deployment.restart('policy-0');
    const done = await eventually(
      () => other.transfer(order()),
      ({ status }) => status !== 503,
    );
    expect(done.status).toBe(200);
    expect(await ops('recovery', 'status')).toMatch(/^Recovery 1, /);
  });
});
