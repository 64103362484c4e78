import { eventually } from '@agent-wallet/testing';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { DEPOSIT_TIMING } from '../../src/domain/deposits/timing.js';
import { type CountingServer, openCountingServer } from './counting-server.js';
import { DepositWorld } from './world.js';

const WALLETS = 1_000;
const WATCHED_MS = 10_000;
/** Of all their accounts: three a wallet, a hundred a call. */
const POLL_CALLS = (3 * WALLETS) / 100;
/** What docs/architecture.md says. */
const MAX_CALLS_A_MINUTE = 2_000;

const KNOWN_ACCOUNTS =
  'select count(*)::int as n from watched_accounts where balance is not null and read_due_at is null';

let world: DepositWorld;
let door: CountingServer;

beforeAll(async () => {
  world = await DepositWorld.open();
  door = await openCountingServer(world.sandbox.rpcUrl);
});
afterAll(async () => {
  await world.close();
  await door.close();
});

const sum = () => [...door.calls.values()].reduce((all, n) => all + n, 0);

describe(`looking after ${WALLETS} wallets at production's timing`, () => {
  it(`costs at most ${MAX_CALLS_A_MINUTE} calls a minute, and a deposit still shows within seconds`, async () => {
    // All accounts are known already, as in a deployment that has been running for a while: listed, looked at and read.
    const known = { pollIntervalMs: 500, sweepMs: 600_000, sweepsARound: 500, sweepRoundMs: 50 };
    const agents = await Promise.all(Array.from({ length: WALLETS }, () => world.agent()));
    world.watch({ timing: known });
    await eventually(
      async () => (await world.database.pool.query<{ n: number }>(KNOWN_ACCOUNTS)).rows[0]!.n,
      (accounts) => accounts === 3 * WALLETS,
      60_000,
    );
    await world.stopWatching();
    await world.database.pool.query(
      `update watched_accounts set sweep_due_at = clock_timestamp(), sweeps = id % $1 where address = wallet`,
      [DEPOSIT_TIMING.fullSweepEvery],
    );
    await world.database.pool.query('update poll_batches set due_at = clock_timestamp()');

    world.watch({ rpcUrl: door.url, timing: DEPOSIT_TIMING });
    // The first look comes at once, and would count in a few seconds for what it does not in a minute.
    await eventually(
      async () => door.calls.get('getMultipleAccounts') ?? 0,
      (calls) => calls >= POLL_CALLS,
    );
    const before = sum();
    const beganMs = performance.now();
    const [agent] = agents;
    await world.sandbox.faucet(agent!.address, 'SOL', 1);
    const sentMs = performance.now();
    await eventually(
      () => world.shown(agent!),
      (shown) => shown.length === 1,
    );
    const tookMs = performance.now() - sentMs;
    await new Promise((resolve) => setTimeout(resolve, WATCHED_MS - (performance.now() - beganMs)));
    const callsAMinute = ((sum() - before) * 60_000) / (performance.now() - beganMs);
    expect(tookMs).toBeLessThan(6_000);
    expect(callsAMinute).toBeLessThan(MAX_CALLS_A_MINUTE);
    // Balances really are polled all the time: 3 000 accounts take 30 calls a poll.
    expect(callsAMinute).toBeGreaterThan(500);
  });
});
