import { eventually } from '@agent-wallet/testing';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { associatedTokenAddress, CPMM_AUTHORITY, TOKEN_PROGRAM } from '@agent-wallet/solana';
import type { AddOrder, AgentClient } from '../src/index.js';
import { type Deployment, shareDeployment } from './harness/deployment.js';
import { doneOf, exactly, poolAddress, withoutLimits } from './harness/liquidity.js';
import { newRecipient } from './harness/recipient.js';
import { usedWhenQuiet } from './harness/spending.js';
import { SafeTokens } from './harness/tokens.js';
import { landedCount, MINTS } from './harness/trading.js';

// Pools and tokens that liquidity is not added to. They are its own: other files must not see them.

let deployment: Deployment;
let tokens: SafeTokens;

beforeAll(async () => {
  deployment = await shareDeployment({ leavesMarkets: true });
  tokens = await SafeTokens.open(deployment);
});

afterAll(async () => {
  tokens?.close();
});

const CLMM_PROGRAM = 'CAMMCzo5YL8w4VFF8KVHrK22GGUsp5VTaW7grrKgrWqK';
const JUP_SOL = poolAddress(MINTS.JUP, MINTS.SOL);

/** Refuses the same, dry or not, and nothing moves or counts. */
async function expectRefused(agent: AgentClient, order: AddOrder, data: object): Promise<void> {
  const before = [await usedWhenQuiet(agent), await landedCount(deployment, agent)];
  const answers = [await agent.dryAddLiquidity(order), await agent.addLiquidity(order)];
  expect(answers).toMatchObject([
    { status: 400, body: { data } },
    { status: 400, body: { data } },
  ]);
  expect([await usedWhenQuiet(agent), await landedCount(deployment, agent)]).toEqual(before);
}

const unsupported = (reason: string) => ({ code: 'POOL_NOT_SUPPORTED', reason });

describe('a pool that is not supported', () => {
  const PAIR = { mintA: 'USDC', mintB: 'USDT' };
  it.each([
    ['at a free address', () => ({ ...PAIR, address: 'free' })],
    ['of a program that looks like it', () => ({ ...PAIR, owner: newRecipient() })],
    ['of the program of concentrated liquidity', () => ({ ...PAIR, owner: CLMM_PROGRAM })],
    ['whose vaults belong to another owner', () => ({ ...PAIR, authority: newRecipient(), configIndex: 1 })],
  ])('%s takes nothing, and pays nothing', async (_, order) => {
    const { pool } = await deployment.sandbox.createPool(order());
    const agent = await deployment.agent({ SOL: 1, USDC: 50, USDT: 50 });
    await expectRefused(agent, { pool, token: 'USDC', amount: 5 }, unsupported('unknown_pool'));
    const removal = await agent.removeLiquidity({ positionId: pool, percent: 100 });
    expect(removal).toMatchObject({ status: 400, body: { data: unsupported('unknown_pool') } });
  });

  it.each([
    ['that does not exist', newRecipient()],
    ['that is a mint', MINTS.USDC],
    ['that is the authority of all pools', CPMM_AUTHORITY],
  ])('%s takes nothing', async (_, pool) => {
    const agent = await deployment.agent({ SOL: 1, USDC: 50 });
    await expectRefused(agent, { pool, token: 'USDC', amount: 5 }, unsupported('unknown_pool'));
  });

  it('because it is too small, or would be the agent’s to a tenth, says so', async () => {
    const agent = await withoutLimits(await deployment.agent({ SOL: 1, USDC: 20_000, RAY: 20_000, WIF: 20_000 }));
    const small = await deployment.sandbox.createPool({ mintA: 'RAY', mintB: 'USDC', depthUsd: '24900' });
    await expectRefused(agent, { pool: small.pool, token: 'USDC', amount: 10 }, unsupported('too_small'));
    const { pool } = await deployment.sandbox.createPool({ mintA: 'WIF', mintB: 'USDC', depthUsd: '30000' });
    const order = { pool, token: 'USDC', slippageBps: 1 };
    await expectRefused(agent, { ...order, amount: 3_340 }, unsupported('share_too_large'));
    await exactly({ deployment, agent, pool }, () => agent.addLiquidity({ ...order, amount: 3_330 }));
  });

  it('because a token has no price takes nothing, and pays what is in it', async () => {
    const mint = await tokens.make({ symbol: 'NOPRICE', decimals: 6, program: 'token', usd: '1' });
    const { pool } = await deployment.sandbox.createPool({ mintA: 'USDC', mintB: mint, depthUsd: '100000' });
    const agent = await deployment.agent({ SOL: 1, USDC: 50, [mint]: 50 });
    doneOf(await agent.addLiquidity({ pool, token: mint, amount: 5 }));
    await deployment.sandbox.setPrice({ token: mint, usd: null });
    const order = { pool, token: 'USDC', amount: 5 };
    // Prices are kept for five seconds.
    await eventually(
      () => agent.dryAddLiquidity(order),
      ({ status }) => status === 400,
    );
    await expectRefused(agent, order, unsupported('unpriced'));
    await exactly({ deployment, agent, pool }, () => agent.removeLiquidity({ positionId: pool, percent: 100 }));
  });
});

it('a price that is too old refuses an addition as it refuses a trade: for now', async () => {
  const mint = await tokens.make({ symbol: 'OLDPRICE', decimals: 6, program: 'token', usd: '1' });
  const { pool } = await deployment.sandbox.createPool({ mintA: 'USDC', mintB: mint, depthUsd: '100000' });
  const agent = await deployment.agent({ SOL: 1, USDC: 50, [mint]: 50 });
  await deployment.sandbox.setPrice({ token: mint, ageSeconds: 3_600 });
  const order = { pool, token: 'USDC', amount: 5 };
  // Prices are kept for five seconds.
  await eventually(
    () => agent.dryAddLiquidity(order),
    ({ status }) => status !== 200,
  );
  const data = { code: 'POLICY_VIOLATION', rule: 'price_unavailable', retry: 'new_key' };
  const answers = [await agent.dryAddLiquidity(order), await agent.addLiquidity(order)];
  expect(answers).toMatchObject([
    { status: 403, body: { data } },
    { status: 403, body: { data } },
  ]);
});

describe('a pool whose state has changed since liquidity was added', () => {
  async function provider(): Promise<AgentClient> {
    const agent = await deployment.agent({ SOL: 2, JUP: 200 });
    doneOf(await agent.addLiquidity({ pool: JUP_SOL, token: 'JUP', amount: 20 }));
    return agent;
  }

  const add = { pool: JUP_SOL, token: 'JUP', amount: 20 };
  const remove = (agent: AgentClient) => () => agent.removeLiquidity({ positionId: JUP_SOL, percent: 100 });

  it.each([
    [40, 'JUP'],
    [-40, 'SOL'],
  ])('by a skew of %i %% takes no more of either token, and pays', async (skewPercent, token) => {
    const agent = await provider();
    await deployment.sandbox.changePool(JUP_SOL, { skewPercent });
    try {
      const data = { code: 'POOL_PRICE_DEVIATES', pool: JUP_SOL, maxLossPercent: 1.5 };
      await expectRefused(agent, { ...add, token, amount: token === 'JUP' ? 20 : 0.05 }, data);
      await exactly({ deployment, agent, pool: JUP_SOL }, remove(agent));
    } finally {
      await deployment.sandbox.changePool(JUP_SOL, { skewPercent: 0 });
    }
  });

  it.each([
    ['paused for deposits', { status: 1 }, { code: 'POOL_PAUSED', pool: JUP_SOL }],
    ['paused for swaps and deposits', { status: 5 }, { code: 'POOL_PAUSED', pool: JUP_SOL }],
    ['not open yet', { openTime: 4_000_000_000 }, { code: 'POOL_NOT_SUPPORTED', reason: 'not_open' }],
  ])('to %s takes no more, and pays', async (_, change, data) => {
    const agent = await provider();
    await deployment.sandbox.changePool(JUP_SOL, change);
    try {
      await expectRefused(agent, add, data);
      await exactly({ deployment, agent, pool: JUP_SOL }, remove(agent));
    } finally {
      await deployment.sandbox.changePool(JUP_SOL, { status: 0, openTime: 0 });
    }
  });

  it('to paused for withdrawals pays nothing until it is open again', async () => {
    const agent = await provider();
    await deployment.sandbox.changePool(JUP_SOL, { status: 2 });
    const paused = { status: 400, body: { data: { code: 'POOL_PAUSED', pool: JUP_SOL } } };
    const order = { positionId: JUP_SOL, percent: 50 };
    const answers = [await agent.removeLiquidity(order), await agent.dryRemoveLiquidity(order)];
    await deployment.sandbox.changePool(JUP_SOL, { status: 0 });
    expect(answers).toMatchObject([paused, paused]);
    await exactly({ deployment, agent, pool: JUP_SOL }, remove(agent));
  });

  it('by a gift to its vaults pays a share of it', async () => {
    const agent = await provider();
    const donation = { donate0Raw: '1000000000', donate1Raw: '3333333333' };
    await deployment.sandbox.changePool(JUP_SOL, donation);
    await exactly({ deployment, agent, pool: JUP_SOL }, () => agent.addLiquidity(add));
    await exactly({ deployment, agent, pool: JUP_SOL }, remove(agent));
    await deployment.sandbox.changePool(JUP_SOL, { skewPercent: 0 });
  });
});

describe('a token over which others have power', () => {
  const NEW = { program: 'token-2022', decimals: 6, usd: 1 };
  it.each([
    ['MINTABLE', { decimals: 6, usd: 1 }, ['mint_authority']],
    ['FREEZABLE', { decimals: 6, usd: 1, freezeAuthority: true }, ['freeze_authority', 'mint_authority']],
    ['TAXED', { ...NEW, transferFeeBps: 100 }, ['transfer_fee']],
    ['HOOKED', { ...NEW, extensions: ['transferHook'] }, undefined],
    ['DELEGATED', { ...NEW, extensions: ['permanentDelegate'] }, undefined],
    ['CANPAUSE', { ...NEW, extensions: ['pausable'] }, undefined],
  ])('is not added: %s', async (symbol, order, reasons) => {
    const mint = await deployment.sandbox.createMint({ symbol, ...order });
    const { pool } = await deployment.sandbox.createPool({ mintA: 'USDC', mintB: mint, depthUsd: '100000' });
    const agent = await deployment.agent({ SOL: 1, USDC: 50, [mint]: 50 });
    const data = { code: 'UNSAFE_TOKEN', mint, ...(reasons && { reasons }) };
    await expectRefused(agent, { pool, token: 'USDC', amount: 5 }, data);
    await expectRefused(agent, { pool, token: mint, amount: 5 }, data);
  });

  it('is not added while it is not verified', async () => {
    const mint = await tokens.make({ symbol: 'UNKNOWN', decimals: 6, program: 'token', usd: '1' }, false);
    const { pool } = await deployment.sandbox.createPool({ mintA: 'USDC', mintB: mint, depthUsd: '100000' });
    const agent = await deployment.agent({ SOL: 1, USDC: 50, [mint]: 50 });
    const data = { code: 'UNSAFE_TOKEN', mint, reasons: ['not_verified'] };
    await expectRefused(agent, { pool, token: 'USDC', amount: 5 }, data);
  });
});

describe('a wallet whose account of a token is frozen', () => {
  it('learns of it, and nothing moves: it can neither add nor remove', async () => {
    const { pool } = await deployment.sandbox.createPool({
      mintA: 'BONK',
      mintB: 'USDC',
      depthUsd: '200000',
      configIndex: 1,
    });
    const agent = await deployment.agent({ SOL: 1, USDC: 50, BONK: 2_000_000 });
    doneOf(await agent.addLiquidity({ pool, token: 'USDC', amount: 5 }));
    const mint = MINTS.USDC;
    const account = associatedTokenAddress({ owner: agent.address, mint, tokenProgram: TOKEN_PROGRAM });
    await tokens.freeze(mint, account);
    const data = { code: 'UNSAFE_TOKEN', mint, reasons: ['frozen_wallet'] };
    const removal = { positionId: pool, percent: 50 };
    const dry = await eventually(
      () => agent.dryRemoveLiquidity(removal),
      ({ status }) => status !== 200,
    );
    expect([dry, await agent.removeLiquidity(removal)]).toMatchObject([
      { status: 400, body: { data } },
      { status: 400, body: { data } },
    ]);
    await expectRefused(agent, { pool, token: 'USDC', amount: 5 }, data);
  });
});

describe('the list of pools', () => {
  const reasonOf = async (pool: string) => (await (await deployment.agent({})).pool(pool)).body.data.unsupportedReason;

  it('says of a pool whose deposits are paused that nothing can be added', async () => {
    await deployment.sandbox.changePool(JUP_SOL, { status: 1 });
    const paused = await reasonOf(JUP_SOL);
    await deployment.sandbox.changePool(JUP_SOL, { status: 0 });
    expect([paused, await reasonOf(JUP_SOL)]).toEqual(['deposits_paused', null]);
  });

  it.each<[string, string | null, () => Promise<string>]>([
    [
      'can be minted by its issuer',
      'unsafe_token',
      () => deployment.sandbox.createMint({ symbol: 'MORE', decimals: 6, usd: '1' }),
    ],
    [
      'withholds a fee',
      'transfer_fee',
      () =>
        deployment.sandbox.createMint({
          ...{ symbol: 'LESS', decimals: 6, usd: '1', program: 'token-2022' },
          transferFeeBps: 100,
        }),
    ],
    ['has no authority', null, () => tokens.make({ symbol: 'SAFE', decimals: 6, program: 'token', usd: '1' })],
  ])('says of a pool whose token %s: %s', async (_, reason, make) => {
    const mint = await make();
    const { pool } = await deployment.sandbox.createPool({ mintA: 'USDC', mintB: mint, depthUsd: '100000' });
    expect(await reasonOf(pool)).toBe(reason);
  });
});
