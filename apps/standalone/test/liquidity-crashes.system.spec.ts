import { casesOf, eventually, isNightly } from '@agent-wallet/testing';
import { beforeAll, describe, expect, it } from '@jest/globals';
import type { AddOrder, AgentClient } from '../src/index.js';
import { type Deployment, shareDeployment } from './harness/deployment.js';
import { crashAndReturn } from './harness/leases.js';
import {
  doneOf,
  liquidityRecords,
  movedSince,
  movementOf,
  poolOf,
  SOL_USDC,
  SOL_USDC_LP,
} from './harness/liquidity.js';
import { untilFinal } from './harness/responses.js';
import { usedWhenQuiet } from './harness/spending.js';
import { holdingsOf, landedCount } from './harness/trading.js';

let deployment: Deployment;

beforeAll(async () => {
  deployment = await shareDeployment();
});

/** Every named step of an action in the swap service's process. */
const STEPS = [
  'after-build',
  'after-reservation',
  'after-signing',
  'after-persisting',
  'after-broadcast',
  'after-landing',
  'before-answering',
];
const PUBLISHING = 'trade.before-publishing';

const FUNDINGS = 2;
const ADD: AddOrder = { pool: SOL_USDC, token: 'USDC', amount: 9 };
const REMOVE = { positionId: SOL_USDC, percent: 60 };

const newAgent = () => deployment.agent({ SOL: 2, USDC: 100 });
const supply = async () => BigInt((await poolOf(deployment, SOL_USDC)).lpSupply);

/** So many actions: on chain and in history. */
async function expectRecorded(count: number, agent: AgentClient): Promise<void> {
  expect(await landedCount(deployment, agent)).toBe(FUNDINGS + count);
  const records = await eventually(
    () => liquidityRecords(agent),
    (found) => found.filter(({ status }) => status === 'confirmed').length === count,
  );
  const others = records.filter(({ status }) => status !== 'confirmed');
  expect(others.map(({ signature }) => signature)).toEqual(others.map(() => null));
}

const named = (action: string) => [...STEPS.map((step) => `${action}.${step}`), PUBLISHING];

describe.each(casesOf(named('liquidity_add'), { gate: ['liquidity_add.after-persisting'] }))(
  'a swap service killed at %s',
  (step) => {
    it.each(isNightly ? [[], ['policy-0'], ['signer-0']] : [['signer-0']])(
      'and with it %p, has added once by the same key',
      async (...more) => {
        const agent = await newAgent();
        const [before, supplied] = [await holdingsOf(deployment, agent), await supply()];
        await deployment.crashAt('swap-0', step);
        const first = agent.addLiquidity(ADD, 'the-key').catch(() => undefined);
        await deployment.ended('swap-0');
        for (const name of more) await deployment.kill(name);
        for (const name of more) await deployment.restart(name);
        await crashAndReturn(deployment, 'swap');
        await first;
        const added = doneOf(await untilFinal(() => agent.addLiquidity(ADD, 'the-key'), 90_000));
        expect(await movedSince(deployment, agent, before)).toEqual(movementOf(added));
        expect((await supply()) - supplied).toBe(BigInt(added.liquidityRaw));
        await expectRecorded(1, agent);
        const used = await usedWhenQuiet(agent);
        expect([used > 17_000_000n, used <= 18_000_001n]).toEqual([true, true]);
      },
    );
  },
);

describe.each(casesOf(named('liquidity_remove'), { gate: ['liquidity_remove.after-broadcast'] }))(
  'a swap service killed at %s',
  (step) => {
    it('has removed once when the request is repeated with the same key', async () => {
      const agent = await newAgent();
      doneOf(await agent.addLiquidity(ADD));
      const used = await usedWhenQuiet(agent);
      const before = await holdingsOf(deployment, agent);
      await deployment.crashAt('swap-0', step);
      const first = agent.removeLiquidity(REMOVE, 'the-key');
      await crashAndReturn(deployment, 'swap');
      expect((await first).status).toBeLessThan(500);
      const removed = doneOf(await untilFinal(() => agent.removeLiquidity(REMOVE, 'the-key'), 90_000));
      expect(await movedSince(deployment, agent, before)).toEqual(movementOf(removed));
      expect(BigInt(removed.remainingRaw)).toBe(before.tokens[SOL_USDC_LP]! - BigInt(removed.liquidityRaw));
      await expectRecorded(2, agent);
      expect(await usedWhenQuiet(agent)).toBe(used);
    });
  },
);

describe.each(casesOf(['gateway-0', 'policy-0', 'signer-0', 'wallet-0', 'swap-0'], { gate: ['policy-0'] }))(
  '%s killed during additions',
  (name) => {
    it('doubles nothing for a client that repeats with the same key', async () => {
      const agent = await newAgent();
      const before = await holdingsOf(deployment, agent);
      const all = [1, 2, 3, 4].map((n) =>
        eventually(
          () => agent.addLiquidity(ADD, `${n}`).catch(() => undefined),
          (answer) => answer !== undefined && ![202, 409].includes(answer.status),
          60_000,
        ),
      );
      await deployment.kill(name);
      await deployment.restart(name);
      const answers = await Promise.all(all);
      // What was not begun is a 5xx: nothing moved and nothing will.
      expect(answers.every((answer) => answer!.status === 200 || answer!.status >= 500)).toBe(true);
      const done = answers.filter((answer) => answer!.status === 200).map((answer) => doneOf(answer!));
      const liquidity = done.reduce((sum, { liquidityRaw }) => sum + BigInt(liquidityRaw), 0n);
      const moved = await movedSince(deployment, agent, before);
      expect(moved.tokens[SOL_USDC_LP] ?? 0n).toBe(liquidity);
      await expectRecorded(done.length, agent);
    });
  },
);

describe('SIGTERM to the swap service during additions', () => {
  it('ends with exit code 0, and loses and doubles nothing', async () => {
    const agent = await newAgent();
    const before = await holdingsOf(deployment, agent);
    // What was killed before is called again first.
    await eventually(
      () => agent.dryAddLiquidity(ADD),
      ({ status }) => status === 200,
    );
    const all = Promise.all([1, 2, 3, 4].map((n) => agent.addLiquidity(ADD, `${n}`)));
    await eventually(
      () => landedCount(deployment, agent),
      (count) => count > FUNDINGS,
    );
    expect(await deployment.terminate('swap-0')).toBe(0);
    await deployment.restart('swap-0');
    await all;
    const results = await Promise.all(
      [1, 2, 3, 4].map((n) => untilFinal(() => agent.addLiquidity(ADD, `${n}`), 90_000)),
    );
    expect(results.every(({ status }) => [200, 503].includes(status))).toBe(true);
    const done = results.filter(({ status }) => status === 200).map((answer) => doneOf(answer));
    const liquidity = done.reduce((sum, { liquidityRaw }) => sum + BigInt(liquidityRaw), 0n);
    expect((await movedSince(deployment, agent, before)).tokens[SOL_USDC_LP]).toBe(liquidity);
    await expectRecorded(done.length, agent);
  });
});
