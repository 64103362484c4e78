import { eventually } from '@agent-wallet/testing';
import { afterEach, beforeAll, describe, expect, it } from '@jest/globals';
import type { AdditionResult, AgentClient, ClientResponse, RemovalResult } from '../src/index.js';
import { type Deployment, shareDeployment } from './harness/deployment.js';
import { doneOf, poolAddress } from './harness/liquidity.js';
import { untilFinal } from './harness/responses.js';
import { usedWhenQuiet } from './harness/spending.js';
import { holdingsOf, landedCount, MINTS } from './harness/trading.js';

// A pool that changes while a signed transaction is on its way.

const POOL = poolAddress(MINTS.SOL, MINTS.USDC, 1);

let deployment: Deployment;

beforeAll(async () => {
  deployment = await shareDeployment();
});

afterEach(async () => {
  await deployment.sandbox.disarm();
  await deployment.sandbox.changePool(POOL, { status: 0, skewPercent: 0 });
});

type Answer = ClientResponse<AdditionResult | RemovalResult>;

const ACTIONS: ReadonlyArray<readonly [string, (agent: AgentClient) => Promise<Answer>, number]> = [
  ['addition', (agent) => agent.addLiquidity({ pool: POOL, token: 'USDC', amount: 9 }, 'the-key'), 1],
  ['removal', (agent) => agent.removeLiquidity({ positionId: POOL, percent: 60 }, 'the-key'), 2],
];

describe.each(ACTIONS)('an %s on its way to the chain', (name, ask, status) => {
  it.each([
    ['that is paused', { status }, 'POOL_PAUSED'],
    ['that moves beyond the slippage', { skewPercent: 3 }, 'SLIPPAGE_EXCEEDED'],
    ['that moves beyond it the other way', { skewPercent: -3 }, 'SLIPPAGE_EXCEEDED'],
  ])('to a pool %s: only the network fee is lost, and the answer says so', async (_, change, code) => {
    const agent = await deployment.agent({ SOL: 2, USDC: 100 });
    doneOf(await agent.addLiquidity({ pool: POOL, token: 'USDC', amount: 9 }));
    const used = await usedWhenQuiet(agent);
    const before = { ...(await holdingsOf(deployment, agent)), landed: await landedCount(deployment, agent) };
    await deployment.sandbox.arm({
      part: 'chain',
      fault: 'delay',
      delayMs: 30_000,
      match: { address: agent.address },
    });
    const asked = ask(agent);
    // The record comes before the transaction reaches the chain, and a node refuses one that would fail.
    await eventually(
      () => deployment.sandbox.faultsUsed(),
      (used) => used > 0,
    );
    await deployment.sandbox.changePool(POOL, change);
    expect(await deployment.sandbox.landWaiting()).toBe(1);
    const first = await asked;
    const answer = [202, 409].includes(first.status) ? await untilFinal(() => ask(agent), 60_000) : first;
    expect([name, answer.status, (answer.body.data as { code?: string }).code]).toEqual([name, 400, code]);
    const after = await holdingsOf(deployment, agent);
    expect(after).toEqual({ tokens: before.tokens, lamports: before.lamports - 5_000n });
    expect(await landedCount(deployment, agent)).toBe(before.landed + 1);
    expect(await usedWhenQuiet(agent)).toBe(used);
    const again = await ask(agent);
    expect([again.body, again.headers.get('idempotency-status')]).toEqual([answer.body, 'cached']);
  });
});
