import { parseUsdPrice } from '@agent-wallet/kernel';
import { policyPrices } from '@agent-wallet/prices';
import { TOKEN_PROGRAM, WRAPPED_SOL_MINT } from '@agent-wallet/solana';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import { USDC } from './policy-peers.js';
import { PolicyUnderTest } from './policy-under-test.js';
import { authorization, nativeIntent, newWallet, swapIntent, transferIntent } from './service.js';

const { address } = newWallet();
/** A stable coin that Pyth does not list. */
const { address: coin } = newWallet();
const SOL = 1_000_000_000n;
/** The single transaction limit of a new agent, in base units of a dollar's coin. */
const LIMIT = 100_000_000n;

let policy: PolicyUnderTest;

beforeAll(async () => {
  policy = await PolicyUnderTest.start({
    peggedTokens: new Map([
      [coin, 6],
      [USDC, 6],
    ]),
  });
  policy.world.mints.set(coin, { program: TOKEN_PROGRAM, decimals: 6 });
  policy.world.pricesAreAway = true;
});
afterAll(() => policy.stop());
beforeEach(() => policy.newAgent());
afterEach(() => policy.world.oracle.clear());

/** Lets Pyth publish of a mint what a test says, and policy forget the reading that it keeps for two seconds. */
function publish(mint: string, said: { usd?: string; ageSeconds?: number; confidencePercent?: number } | null): void {
  policy.world.oracle.set(mint, said);
  policy.service.passTime(3_000);
}

const send = (mint: string, amount: bigint) => policy.reservedFor(transferIntent(address, { mint, amount }));
const pay = (lamports: bigint) => policy.reservedFor(nativeIntent(address, lamports));
const rule = (name: string) => ({ code: 'POLICY_VIOLATION', data: { rule: name } });

describe('without an aggregator, SOL', () => {
  it('counts at the price of Pyth, up to the limit and not above', async () => {
    publish(WRAPPED_SOL_MINT, { usd: '200' });
    expect(await pay(SOL / 2n)).toBe(LIMIT);
    await policy.newAgent();
    await expect(pay(SOL / 2n + 1n)).rejects.toMatchObject(rule('single_transaction_limit'));
  });

  it.each([
    ['young enough', { ageSeconds: 120 }, 20_000_000n],
    ['certain enough', { confidencePercent: 2 }, 20_000_000n],
  ])('leaves at a price that is %s', async (_, said, value) => {
    publish(WRAPPED_SOL_MINT, { usd: '200', ...said });
    expect(await pay(SOL / 10n)).toBe(value);
  });

  it.each([
    ['too old', { usd: '200', ageSeconds: 200 }],
    ['too uncertain', { usd: '200', confidencePercent: 3 }],
    ['not published', null],
  ])('cannot leave while its price is %s', async (_, said) => {
    publish(WRAPPED_SOL_MINT, said);
    await expect(pay(1n)).rejects.toMatchObject(rule('price_unavailable'));
  });
});

describe('without an aggregator, a pegged token', () => {
  it('counts one dollar, up to the limit and not above', async () => {
    expect(await send(coin, LIMIT)).toBe(LIMIT);
    await policy.newAgent();
    await expect(send(coin, LIMIT + 1n)).rejects.toMatchObject(rule('single_transaction_limit'));
  });

  it('counts one dollar although Pyth says less, and more when Pyth says more', async () => {
    publish(USDC, { usd: '0.8' });
    expect(await send(USDC, LIMIT)).toBe(LIMIT);
    await policy.newAgent();
    publish(USDC, { usd: '1.05' });
    await expect(send(USDC, LIMIT)).rejects.toMatchObject(rule('single_transaction_limit'));
  });

  it('leaves while Pyth has no price of it', async () => {
    publish(USDC, null);
    expect(await send(USDC, 1_000_000n)).toBeGreaterThanOrEqual(1_000_000n);
  });
});

describe('without an aggregator, another token', () => {
  it('cannot leave beside a limit', async () => {
    const mint = policy.newMint('1');
    await expect(send(mint, 1n)).rejects.toMatchObject(rule('price_unavailable'));
    expect(await policy.usage()).toEqual({ used: 0n, reserved: 0n });
  });

  it('counts as unverified where a list restricts recipients', async () => {
    const mint = policy.newMint('1');
    policy.world.verified.add(mint);
    await policy.setOwned('allowed_recipients', [newWallet().address]);
    await policy.setOwned('claimed_at', new Date());
    const { request } = authorization(policy.agentId, swapIntent(address, { outputMint: mint }));
    await expect(policy.swap.authorize(request)).rejects.toMatchObject(rule('token_not_allowed'));
    expect(policy.world.calls.filter((call) => call.startsWith('tokens'))).toEqual([]);
  });
});

describe('prices for other services', () => {
  it('are those of Pyth and the pegs without an aggregator, and no others', async () => {
    publish(WRAPPED_SOL_MINT, { usd: '200' });
    publish(USDC, { usd: '0.999' });
    const { address: other } = newWallet();
    const wallet = policyPrices(await policy.service.as('wallet'));
    const found = await wallet.prices([WRAPPED_SOL_MINT, USDC, coin, other], { isShown: true });
    expect(found.get(WRAPPED_SOL_MINT)).toMatchObject({ price: parseUsdPrice('200'), decimals: 9, liquidityUsd: null });
    expect(found.get(USDC)).toMatchObject({ decimals: 6 });
    expect(found.get(coin)).toMatchObject({ price: { digits: 1n }, decimals: 6 });
    expect(found.get(other)).toEqual({ unavailable: 'unknown' });
  });

  it.each([
    ['no address', ['nonsense']],
    ['101 tokens', Array.from({ length: 101 }, () => USDC)],
  ])('are refused for %s', async (_, mints) => {
    const client = await policy.service.as('swap');
    await expect(client.getPrices({ mints, shown: true })).rejects.toMatchObject({ code: 'VALIDATION_ERROR' });
  });
});
