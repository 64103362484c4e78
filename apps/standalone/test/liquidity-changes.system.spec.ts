import { associatedTokenAddress, TOKEN_PROGRAM } from '@agent-wallet/solana';
import { beforeAll, describe, expect, it } from '@jest/globals';
import { randomUUID } from 'node:crypto';
import type { AgentClient } from '../src/index.js';
import { type Deployment, shareDeployment } from './harness/deployment.js';
import { doneOf, exactly, movedSince, movementInDryRun, movementOf } from './harness/liquidity.js';
import { OwnerConsole } from '../src/testing/owner-console.js';
import { newRecipient } from './harness/recipient.js';
import { untilFinal } from './harness/responses.js';
import { usedWhenQuiet } from './harness/spending.js';
import { holdingsOf } from './harness/trading.js';

// What the wallet holds changes between a plan and its landing, by others or by the agent itself.

let deployment: Deployment;
let pool: string;
let lpMint: string;

beforeAll(async () => {
  deployment = await shareDeployment({ leavesMarkets: true });
  const order = { mintA: 'USDC', mintB: 'USDT', depthUsd: '5000000' };
  ({ pool, lpMint } = await deployment.sandbox.createPool(order));
});

const ADD = () => ({ pool, token: 'USDC', amount: 20 });
const idOf = ({ body }: { body: { data: unknown } }) => (body.data as { approvalId: string }).approvalId;

describe('an addition that an owner signs later', () => {
  async function claimed(funds: Record<string, number>): Promise<{ agent: AgentClient; owner: OwnerConsole }> {
    const agent = await deployment.agent(funds);
    const owner = await OwnerConsole.claiming(deployment, agent);
    expect((await agent.patchPolicy({ approveAboveInUsd: 15 })).status).toBe(200);
    return { agent, owner };
  }

  it('is refused for what the wallet holds no more', async () => {
    const { agent, owner } = await claimed({ SOL: 2, USDC: 30, USDT: 1_000 });
    const key = randomUUID();
    const asked = await agent.addLiquidity(ADD(), key);
    expect(asked.status).toBe(202);
    const sent = await agent.transfer({ to: newRecipient(), amount: 14, mint: 'USDC' });
    expect(sent.status).toBe(200);
    await usedWhenQuiet(agent);
    await owner.approve({ id: idOf(asked) });
    const refused = await untilFinal(() => agent.addLiquidity(ADD(), key));
    const figures = { asset: 'USDC', decimals: 6, availableRaw: '16000000' };
    expect(refused).toMatchObject({ status: 400, body: { data: { code: 'INSUFFICIENT_FUNDS', ...figures } } });
  });

  it('says what rent it really took, though another made the account meanwhile', async () => {
    const { agent, owner } = await claimed({ SOL: 2, USDC: 1_000, USDT: 1_000 });
    const key = randomUUID();
    const asked = await agent.addLiquidity(ADD(), key);
    expect(asked.status).toBe(202);
    expect(doneOf(await agent.addLiquidity({ ...ADD(), amount: 2 })).rentLamports).toBe(2_039_280);
    await usedWhenQuiet(agent);
    const before = await holdingsOf(deployment, agent);
    await owner.approve({ id: idOf(asked) });
    const done = doneOf(await untilFinal(() => agent.addLiquidity(ADD(), key)));
    expect(done.rentLamports).toBe(0);
    expect(await movedSince(deployment, agent, before)).toEqual(movementOf(done));
  });
});

describe('a new account of liquidity tokens', () => {
  it('takes only the rent that is not at its address yet, dry or not', async () => {
    const agent = await deployment.agent({ SOL: 1, USDC: 100, USDT: 100 });
    const account = associatedTokenAddress({ owner: agent.address, mint: lpMint, tokenProgram: TOKEN_PROGRAM });
    await deployment.sandbox.faucet(account, 'SOL', 0.0015);
    const dry = (await agent.dryAddLiquidity(ADD())).body.data;
    expect(dry.rentLamports).toBe(539_280);
    const done = await exactly({ deployment, agent, pool }, () => agent.addLiquidity(ADD()));
    expect(done.rentLamports).toBe(539_280);
    expect(movementInDryRun(dry)).toEqual(movementOf(done));
  });
});

describe('removals', () => {
  it('at once say what each of them left', async () => {
    const agent = await deployment.agent({ SOL: 1, USDC: 100, USDT: 100 });
    const added = BigInt(doneOf(await agent.addLiquidity(ADD())).liquidityRaw);
    await usedWhenQuiet(agent);
    const half = () => agent.removeLiquidity({ positionId: pool, percent: 50 });
    const done = (await Promise.all([half(), half()])).map((answer) => doneOf(answer));
    const [least, most] = done.map(({ remainingRaw }) => BigInt(remainingRaw)).sort((a, b) => Number(a - b));
    const taken = done.map(({ liquidityRaw }) => BigInt(liquidityRaw));
    expect(least).toBe(added - taken[0]! - taken[1]!);
    expect([added - taken[0]!, added - taken[1]!]).toContain(most);
    expect((await holdingsOf(deployment, agent)).tokens[lpMint] ?? 0n).toBe(least);
  });

  it('that name no address say so of the field that the agent wrote', async () => {
    const answer = await (await deployment.agent({})).removeLiquidity({ positionId: 'x', percent: 100 });
    const details = [{ field: 'positionId' }];
    expect(answer).toMatchObject({ status: 400, body: { data: { code: 'VALIDATION_ERROR', details } } });
  });
});
