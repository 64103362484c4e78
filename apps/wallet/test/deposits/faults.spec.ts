import { casesOf, eventually } from '@agent-wallet/testing';
import { afterAll, afterEach, beforeAll, describe, expect, it } from '@jest/globals';
import { expectAllOnce, makeDeposits } from './ten-deposits.js';
import { DepositWorld } from './world.js';

let world: DepositWorld;

beforeAll(async () => {
  world = await DepositWorld.open();
});
afterEach(async () => {
  await world.sandbox.disarm();
  await world.forget();
});
afterAll(() => world?.close());

const READS_429 = ['error429', { times: 60, match: { method: 'getTransaction' } }] as const;
const POLLS_500 = ['error500', { times: 30, match: { method: 'getSignaturesForAddress' } }] as const;
const LOST_REPLIES = ['landThenFailReply', { times: 20 }] as const;
const FAULTS = [
  ...[READS_429, POLLS_500, LOST_REPLIES],
  ['error429', { times: 200 }],
  ['error500', { times: 200 }],
  ['delay', { times: 10, delayMs: 800, match: { method: 'getTransaction' } }],
  ['delay', { times: 10, delayMs: 800, match: { method: 'getSignatureStatuses' } }],
] as const;

const ALL_LAG = { times: 300, delayMs: 1_500 };
const ACCOUNTS_LAG = { times: 100, delayMs: 5_000, match: { method: 'getMultipleAccounts' } };
const LAGS = [
  ...[ALL_LAG, ACCOUNTS_LAG],
  { times: 100, delayMs: 5_000, match: { method: 'getSignatureStatuses' } },
  { times: 100, delayMs: 5_000, match: { method: 'getSignaturesForAddress' } },
  { times: 100, delayMs: 5_000, match: { method: 'getTransaction' } },
];

describe('a node that fails', () => {
  it.each(casesOf(FAULTS, { gate: [READS_429, POLLS_500, LOST_REPLIES] }))(
    'with %s %j slows deposits down, and that is all',
    async (fault, more) => {
      const agent = await world.agent();
      world.watch();
      await world.sandbox.arm(fault, more);
      await makeDeposits(world, agent);
      await expectAllOnce(world, agent);
    },
  );

  it.each(casesOf(LAGS, { gate: [ALL_LAG, ACCOUNTS_LAG] }))(
    'by lagging (%j) makes nothing look undone',
    async (more) => {
      const agent = await world.agent();
      world.watch();
      await world.sandbox.faucet(agent.address, 'SOL', 0.5);
      await eventually(
        () => world.shown(agent),
        (shown) => shown.length > 0,
      );
      await world.sandbox.arm('lagStatus', more);
      await makeDeposits(world, agent);
      const shown = await world.confirmed(agent, 12);
      expect(shown.map(({ status, revision }) => [status, revision > 2])).toEqual(
        shown.map(() => ['confirmed', false]),
      );
      await world.quiet(agent);
      expect(await world.shown(agent)).toEqual(shown);
    },
  );
});
