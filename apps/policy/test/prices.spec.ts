import { WRAPPED_SOL_MINT } from '@agent-wallet/solana';
import { eventually } from '@agent-wallet/testing';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import { USDC } from './policy-peers.js';
import { PolicyUnderTest } from './policy-under-test.js';
import { nativeIntent, newWallet, transferIntent } from './service.js';

const { address } = newWallet();
const SOL = 1_000_000_000n;

let policy: PolicyUnderTest;

beforeAll(async () => {
  policy = await PolicyUnderTest.start();
});
afterAll(() => policy.stop());
beforeEach(() => policy.newAgent());
afterEach(async () => {
  policy.world.oracle.clear();
  policy.world.prices.set(WRAPPED_SOL_MINT, { usd: '150', decimals: 9 });
  await policy.database.shiftClock('0');
});

/** Sets the price of a mint, which policy reads with the next request. */
function set(mint: string, usd: string, liquidity?: number): void {
  const { decimals } = policy.world.prices.get(mint)!;
  policy.world.prices.set(mint, { usd, decimals, ...(liquidity === undefined ? {} : { liquidity }) });
  policy.outliveReadings();
}

const send = (mint: string, amount: bigint) => policy.reservedFor(transferIntent(address, { mint, amount }));
const rule = (name: string) => ({ code: 'POLICY_VIOLATION', data: { rule: name } });

describe('a price that falls', () => {
  it('by 99.9 % in one step opens no limit', async () => {
    const mint = policy.newMint('1');
    await expect(send(mint, 10_000_000_000n)).rejects.toMatchObject(rule('single_transaction_limit'));
    set(mint, '0.001');
    await expect(send(mint, 10_000_000_000n)).rejects.toMatchObject({
      code: 'POLICY_VIOLATION',
      data: { rule: 'single_transaction_limit', requestedUsdMicros: '10000000000', limitUsdMicros: '100000000' },
    });
    expect(await send(mint, 90_000_000n)).toBe(90_000_000n);
  });

  it('opens no limit after a dry run that nothing followed', async () => {
    const mint = policy.newMint('1');
    const intent = transferIntent(address, { mint, amount: 10_000_000_000n });
    await policy.wallet.dryRunAuthorize({ agentId: policy.agentId, intent });
    set(mint, '0.001');
    await expect(send(mint, 10_000_000_000n)).rejects.toMatchObject(rule('single_transaction_limit'));
  });

  it('opens no limit of a token that had no price here before', async () => {
    const fallen = policy.newMint('0.001', { change24h: -99.9 });
    await expect(send(fallen, 100_000_001n)).rejects.toMatchObject(rule('single_transaction_limit'));
    expect(await send(fallen, 90_000_000n)).toBe(90_000_000n);
  });

  it.each([
    ['has risen', 100],
    ['states no change', undefined],
  ])('is not assumed of a new token that %s', async (_, change24h) => {
    const mint = policy.newMint('0.5', { change24h });
    expect(await send(mint, 10_000_000n)).toBe(5_000_000n);
  });

  it('in steps, below every jump, opens no limit either', async () => {
    const mint = policy.newMint('1');
    await send(mint, 1n);
    for (const usd of ['0.75', '0.55', '0.4', '0.3']) {
      set(mint, usd);
      expect(await send(mint, 1_000_000n)).toBe(1_000_000n);
    }
  });

  it('counts by the high of 24 hours, and by the next one after', async () => {
    const mint = policy.newMint('2');
    await send(mint, 1n);
    set(mint, '1.5');
    await policy.database.shiftClock('23:59:00');
    expect(await send(mint, 1_000_000n)).toBe(2_000_000n);
    await policy.database.shiftClock('25:01:00');
    await policy.restart();
    expect(await send(mint, 1_000_000n)).toBe(1_500_000n);
    const highs = await policy.database.rows('select usd::text from accepted_highs where mint = $1', mint);
    expect(highs).toEqual([{ usd: '1.5' }, { usd: '1.5' }]);
  });
});

describe('a second source', () => {
  const payment = nativeIntent(address, SOL / 10n);

  it('that agrees within five percent is enough', async () => {
    policy.world.oracle.set(WRAPPED_SOL_MINT, { usd: '142.9' });
    policy.outliveReadings();
    expect(await policy.reservedFor(payment)).toBe(15_000_000n);
  });

  it.each([
    ['says a twentieth more than the price API', { usd: '157.9' }],
    ['says a tenth of it', { usd: '15' }],
    ['is missing', null],
    ['is stale', { ageSeconds: 200 }],
    ['is uncertain', { confidencePercent: 3 }],
    ['belongs to another program', { owner: USDC }],
  ])('that %s refuses', async (_, said) => {
    policy.world.oracle.set(WRAPPED_SOL_MINT, said);
    policy.outliveReadings();
    await expect(policy.reservedFor(payment)).rejects.toMatchObject(rule('price_unavailable'));
    expect(await policy.usage()).toEqual({ used: 0n, reserved: 0n });
  });

  it('stops a price API that lies, in either direction', async () => {
    policy.world.oracle.set(WRAPPED_SOL_MINT, { usd: '150' });
    for (const usd of ['0.15', '142', '158', '150000']) {
      set(WRAPPED_SOL_MINT, usd);
      await expect(policy.reservedFor(payment)).rejects.toMatchObject(rule('price_unavailable'));
    }
  });
});

describe('a chain whose clock lags', () => {
  it('refuses payments with the time by which it lags, until it has caught up', async () => {
    const pay = () => policy.reservedFor(nativeIntent(address, SOL / 10n)).catch((error: Error) => error);
    policy.service.passTime(900_000);
    const refused = await eventually(
      pay,
      (reply) => reply instanceof Error && reply.message.includes('behind'),
    ).finally(() => policy.service.passTime(-900_000));
    expect(refused).toMatchObject({
      ...rule('price_unavailable'),
      message: expect.stringMatching(/^The chain's clock is 90\d seconds behind, so every price is too old/),
      data: { suggestion: expect.stringContaining('once the chain has caught up') },
    });
    await eventually(pay, (reply) => reply === 15_000_000n);
  });
});

describe('a thin token', () => {
  it('cannot leave at any price', async () => {
    const mint = policy.newMint('1');
    for (const usd of ['1', '1000', '0.000001']) {
      set(mint, usd, 9_999);
      await expect(send(mint, 1_000_000n)).rejects.toMatchObject(rule('price_unavailable'));
    }
    set(mint, '1', 10_000);
    expect(await send(mint, 1_000_000n)).toBe(1_000_000n);
  });

  it('that was pumped and is dumped counts by its high', async () => {
    const mint = policy.newMint('1');
    await send(mint, 1n);
    set(mint, '50');
    await send(mint, 1n);
    set(mint, '0.01');
    await expect(send(mint, 3_000_000n)).rejects.toMatchObject(rule('single_transaction_limit'));
    expect(await send(mint, 2_000_000n)).toBe(100_000_000n);
  });
});
