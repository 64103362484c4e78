import { formatAmount } from '@agent-wallet/kernel';
import { associatedTokenAddress, TOKEN_PROGRAM } from '@agent-wallet/solana';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import { NATIVE_MINT } from '../src/domain/tokens.js';
import { MALICIOUS_KINDS } from './sandbox.js';
import { landedOf, refusalOf, SwapWorld } from './world.js';

// Agents without SOL buy it, and the operator's sponsor pays the network.

const BUY = { from: 'USDC', to: 'SOL', amount: '20' };
const RENT = 2_039_280n;

let world: SwapWorld;
let sponsor: string;

beforeAll(async () => {
  world = await SwapWorld.open(100);
});
beforeEach(async () => {
  sponsor = await world.sponsor(1);
});
afterEach(async () => {
  await world.sandbox.disarm();
  await world.stopCopies();
});
afterAll(() => world?.close());

const lamportsOf = (address: string) => world.sandbox.raw(address, 'SOL');
const isWrappedLeft = async (address: string) =>
  (await world.sandbox.accounts(address)).some(({ mint }) => mint === NATIVE_MINT);

describe('an agent with USDC alone', () => {
  it('buys SOL; the sponsor pays the network, and gets back the rent of the account that was needed', async () => {
    const { trade } = world.copy();
    const agent = await world.agent({ USDC: 50 });
    const bought = await trade.execute(world.call(agent, BUY));
    expect(bought).toMatchObject({ isConfirmed: true, plan: { offer: { sponsor } } });
    const { minOutputAmount, feeLamports, tipLamports } = bought.plan!.offer!;
    const { spent, gained } = landedOf(bought);
    expect(await world.holdings(agent, 'USDC', 'SOL')).toEqual([30_000_000n, gained]);
    expect([spent, gained >= minOutputAmount]).toEqual([20_000_000n, true]);
    expect(await lamportsOf(sponsor)).toBe(1_000_000_000n - feeLamports - tipLamports);
    expect(await isWrappedLeft(agent.address)).toBe(false);
  });

  it('is shown in a dry run who pays, and nothing happens', async () => {
    const { dryRun } = world.copy();
    const agent = await world.agent({ USDC: 50 });
    const { agentId, request } = world.call(agent, BUY);
    const shown = await dryRun.execute(agentId, request);
    expect(shown).toMatchObject({ isSponsored: true });
    expect(shown.networkLamports).toBeGreaterThanOrEqual(10_000n);
    const { outputAmount } = shown.plan.offer!;
    expect(shown.balanceChanges.map(({ symbol, amount }) => [symbol, amount])).toEqual(
      expect.arrayContaining([
        ['USDC', -20_000_000n],
        ['SOL', outputAmount],
      ]),
    );
    expect(await world.holdings(agent, 'USDC', 'SOL')).toEqual([50_000_000n, 0n]);
    expect(await lamportsOf(sponsor)).toBe(1_000_000_000n);
  });

  it('and an account of wrapped SOL unwraps it without rent to return', async () => {
    const { trade } = world.copy();
    const agent = await world.agent({ USDC: 50 });
    await world.sandbox.faucet(agent.address, NATIVE_MINT, 0.5);
    const bought = await trade.execute(world.call(agent, BUY));
    const { feeLamports, tipLamports, unwrapped } = bought.plan!.offer!;
    const [sol] = await world.holdings(agent, 'SOL');
    expect(sol).toBe(landedOf(bought).gained + (unwrapped?.lamports ?? 0n));
    expect(await lamportsOf(sponsor)).toBe(1_000_000_000n - feeLamports - tipLamports);
    expect(await isWrappedLeft(agent.address)).toBe(false);
  });

  it.each([0.000_9, 0.002, 0.003])(
    'is not stopped by %s SOL that a stranger sent to where its wrapped SOL will be',
    async (dust) => {
      const { trade } = world.copy();
      const agent = await world.agent({ USDC: 50 });
      const account = associatedTokenAddress({ owner: agent.address, mint: NATIVE_MINT, tokenProgram: TOKEN_PROGRAM });
      await world.sandbox.faucet(account, 'SOL', dust);
      const bought = await trade.execute(world.call(agent, BUY));
      expect(bought).toMatchObject({ isConfirmed: true, plan: { offer: { sponsor } } });
      expect(await isWrappedLeft(agent.address)).toBe(false);
    },
  );

  it('cannot buy less SOL than a wallet must hold, and learns it', async () => {
    const { trade } = world.copy();
    const agent = await world.agent({ USDC: 50 });
    const refusal = await refusalOf(trade.execute(world.call(agent, { ...BUY, amount: '0.01' })));
    expect(refusal).toMatchObject({ code: 'INSUFFICIENT_FUNDS', message: expect.stringContaining('larger amount') });
    expect(await lamportsOf(sponsor)).toBe(1_000_000_000n);
  });

  it('cannot buy another token: a sponsor helps to SOL alone', async () => {
    const { trade } = world.copy();
    const agent = await world.agent({ USDC: 50 });
    const refusal = await refusalOf(trade.execute(world.call(agent, { ...BUY, to: 'JUP' })));
    expect(refusal).toMatchObject({ code: 'INSUFFICIENT_FUNDS', data: { asset: 'SOL' } });
  });

  it('is refused where the operator sponsors nothing', async () => {
    world.wallets.sponsorAddress = undefined;
    const { trade } = world.copy();
    const agent = await world.agent({ USDC: 50 });
    const refusal = await refusalOf(trade.execute(world.call(agent, BUY)));
    expect(refusal).toMatchObject({ code: 'INSUFFICIENT_FUNDS', data: { asset: 'SOL' } });
  });

  it('learns that the sponsor cannot pay', async () => {
    await world.sponsor(0.001);
    const { trade } = world.copy();
    const agent = await world.agent({ USDC: 50 });
    const refusal = await refusalOf(trade.execute(world.call(agent, BUY)));
    expect(refusal).toMatchObject({ code: 'INSUFFICIENT_FUNDS', data: { asset: 'SOL', payer: 'sponsor' } });
    expect(await world.holdings(agent, 'USDC')).toEqual([50_000_000n]);
  });

  it('buys at once as often as it asks, and the sponsor pays once for each', async () => {
    const { trade } = world.copy();
    const agent = await world.agent({ USDC: 50 });
    const calls = Array.from({ length: 4 }, () => world.call(agent, { ...BUY, amount: '10', slippageBps: 300 }));
    const results = await Promise.all(calls.map((call) => trade.execute(call)));
    const paid = results.reduce((sum, { plan }) => sum + plan!.offer!.feeLamports + plan!.offer!.tipLamports, 0n);
    expect((await world.holdings(agent, 'USDC'))[0]).toBe(10_000_000n);
    expect(await lamportsOf(sponsor)).toBe(1_000_000_000n - paid);
    const again = await Promise.all(calls.map((call) => trade.execute(call)));
    expect(again.map(landedOf)).toEqual(results.map(landedOf));
    expect(await lamportsOf(sponsor)).toBe(1_000_000_000n - paid);
  });
});

describe('an agent with some SOL', () => {
  it('pays the network itself where it can', async () => {
    const { trade } = world.copy();
    const agent = await world.agent({ SOL: 0.1, USDC: 50 });
    const bought = await trade.execute(world.call(agent, BUY));
    expect(bought.plan!.offer!.sponsor).toBeUndefined();
    expect(await lamportsOf(sponsor)).toBe(1_000_000_000n);
  });

  it.each([
    ['less than the rent of the account that is needed', RENT - 1n],
    ['that rent, and not the network fee of the offer', RENT + 900_000n],
  ])('is sponsored when it holds %s', async (_, lamports) => {
    const { trade } = world.copy();
    const agent = await world.agent({ SOL: Number(formatAmount(lamports, 9)), USDC: 50 });
    const bought = await trade.execute(world.call(agent, BUY));
    expect(bought.plan!.offer!.sponsor).toBe(sponsor);
    expect((await world.holdings(agent, 'SOL'))[0]).toBe(lamports + landedOf(bought).gained);
  });
});

describe('an aggregator that lies to a sponsored wallet', () => {
  it.each(MALICIOUS_KINDS)('gets no signature for a transaction with %s', async (kind) => {
    const { trade } = world.copy();
    const agent = await world.agent({ USDC: 50 });
    const signed = world.signer.signed.size;
    await world.sandbox.arm('maliciousTransaction', { match: { kind } });
    const refusal = await refusalOf(trade.execute(world.call(agent, BUY)));
    expect(refusal).toMatchObject({ code: 'UNSAFE_TRANSACTION' });
    expect(world.signer.signed.size).toBe(signed);
    expect(await lamportsOf(sponsor)).toBe(1_000_000_000n);
  });
});
