import { type intentV1, policyV1 } from '@agent-wallet/contracts';
import { TOKEN_2022_PROGRAM, TOKEN_PROGRAM, WRAPPED_SOL_MINT } from '@agent-wallet/solana';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import { checkSwap } from '../src/application/permits/check-swap.js';
import { USDC } from './policy-peers.js';
import { PolicyUnderTest } from './policy-under-test.js';
import {
  authorization,
  newWallet,
  payoutIntent,
  type PolicyClient,
  swapIntent,
  transferIntent,
  unwrapIntent,
} from './service.js';

const { address } = newWallet();
const U64 = 2n ** 64n - 1n;

let policy: PolicyUnderTest;
let swap: PolicyClient;

beforeAll(async () => {
  policy = await PolicyUnderTest.start();
  swap = await policy.service.as('swap');
});
afterAll(() => policy.stop());
beforeEach(() => policy.newAgent());

const check = (intent: intentV1.Intent) => swap.dryRunAuthorize({ agentId: policy.agentId, intent });
const authorize = (intent: intentV1.Intent) => swap.authorize(authorization(policy.agentId, intent).request);
const reservedFor = async (intent: intentV1.Intent) => (await authorize(intent)).reservedUsdMicros;

/** Policy's own rule refuses: a permit with the rule, a check by telling it. */
async function expectRule(intent: intentV1.Intent, rule: string): Promise<void> {
  await expect(authorize(intent)).rejects.toMatchObject({ code: 'POLICY_VIOLATION', data: { rule } });
  expect(await check(intent)).toMatchObject({ allowed: false, rule });
  expect((await policy.usage()).reserved).toBe(0n);
}

describe('the switch of trading', () => {
  it('off refuses every swap by its name, and nothing else', async () => {
    await policy.change({ allowTrading: false });
    await expectRule(swapIntent(address), 'trading_disabled');
    await expectRule(swapIntent(address, { inputAmount: U64 }), 'trading_disabled');
    expect(await policy.reservedFor(transferIntent(address))).toBe(1_000_000n);
    expect(await policy.reservedFor(unwrapIntent(address))).toBe(0n);
  });

  it('gives no further permit once it is off, and a fresh one when it is on again', async () => {
    const { request } = authorization(policy.agentId, swapIntent(address));
    await swap.authorize(request);
    await policy.change({ allowTrading: false });
    await expect(swap.authorize(request)).rejects.toMatchObject({ data: { rule: 'trading_disabled' } });
    await policy.change({ allowTrading: true });
    expect(await swap.authorize(request)).toMatchObject({ reservedUsdMicros: 1_000_000n });
    expect((await policy.usage()).reserved).toBe(1_000_000n);
  });

  it('is not asked of swaps when the other switches are off; allowed recipients are not for them', async () => {
    await policy.change({
      ...{ allowLiquidityProvision: false, allowPredictionMarkets: false },
      allowedRecipients: { entries: [newWallet().address] },
    });
    expect(await reservedFor(swapIntent(address))).toBe(1_000_000n);
    expect(await check(swapIntent(address))).toMatchObject({ allowed: true, valueUsdMicros: 1_000_000n });
  });
});

describe('the list of tokens', () => {
  const BRINGS_SOL = swapIntent(address);
  const BRINGS_USDC = swapIntent(address, {
    ...{ inputMint: WRAPPED_SOL_MINT, inputDecimals: 9, inputAmount: 1_000_000n, outputMint: USDC },
  });
  const list = (...entries: string[]) => policy.change({ allowedTokens: { list: { entries } } });

  it('limits what a swap brings, SOL by its wrapped mint, and not what it spends', async () => {
    await list(WRAPPED_SOL_MINT);
    expect(await reservedFor(BRINGS_SOL)).toBe(1_000_000n);
    await policy.newAgent();
    await list(WRAPPED_SOL_MINT);
    await expectRule(BRINGS_USDC, 'token_not_allowed');
    await list(newWallet().address, USDC);
    await expectRule(BRINGS_SOL, 'token_not_allowed');
    expect(await check(BRINGS_USDC)).toMatchObject({ allowed: true });
  });

  it('without entries refuses every swap, and nothing that lets the agent out', async () => {
    await policy.change({ allowedTokens: { list: { entries: [] } }, allowedMarkets: { list: { entries: [] } } });
    await expectRule(BRINGS_SOL, 'token_not_allowed');
    await expectRule(BRINGS_USDC, 'token_not_allowed');
    await swap.checkSpending({ agentId: policy.agentId, spending: policyV1.Spending.SPENDING_TRADE });
    for (const intent of [transferIntent(address), unwrapIntent(address), payoutIntent(address)]) {
      expect(await policy.wallet.dryRunAuthorize({ agentId: policy.agentId, intent })).toMatchObject({ allowed: true });
    }
    await policy.change({ allowedTokens: {} });
    expect(await reservedFor(BRINGS_SOL)).toBe(1_000_000n);
  });

  it('is asked of a repeat, too', async () => {
    const { request } = authorization(policy.agentId, BRINGS_SOL);
    await swap.authorize(request);
    await list();
    await expect(swap.authorize(request)).rejects.toMatchObject({ data: { rule: 'token_not_allowed' } });
    await list(WRAPPED_SOL_MINT);
    expect(await swap.authorize(request)).toMatchObject({ reservedUsdMicros: 1_000_000n });
  });
});

describe('the value of a swap', () => {
  it('is that of its input, rounded up, regardless of its output', async () => {
    const inputMint = policy.newMint('0.333333');
    expect(await reservedFor(swapIntent(address, { inputMint, inputAmount: 1_000_001n }))).toBe(333_334n);
    const sol = {
      ...{ inputMint: WRAPPED_SOL_MINT, inputDecimals: 9, inputAmount: 100_000_000n, outputMint: USDC },
      ...{ quotedOutputAmount: 15_000_000n, minOutputAmount: 14_000_000n },
    };
    expect(await reservedFor(swapIntent(address, sol))).toBe(15_000_000n);
    const outputMint = policy.newMint(undefined);
    expect(await reservedFor(swapIntent(address, { outputMint, allowUnpricedOutput: true }))).toBe(1_000_000n);
  });

  it('counts to both limits, on both sides of each', async () => {
    await policy.change({ maxSingleTransactionUsdMicros: 2_000_000n, dailyLimitUsdMicros: 3_000_000n });
    await expectRule(swapIntent(address, { inputAmount: 2_000_001n }), 'single_transaction_limit');
    expect(await reservedFor(swapIntent(address, { inputAmount: 2_000_000n }))).toBe(2_000_000n);
    await expect(authorize(swapIntent(address, { inputAmount: 1_000_001n }))).rejects.toMatchObject({
      data: { rule: 'daily_limit', requestedUsdMicros: '1000001', maxAllowedNowUsdMicros: '1000000' },
    });
    await expect(policy.reservedFor(transferIntent(address, { amount: 1_000_001n }))).rejects.toMatchObject({
      data: { rule: 'daily_limit' },
    });
    expect(await policy.reservedFor(transferIntent(address, { amount: 1_000_000n }))).toBe(1_000_000n);
    await expect(authorize(swapIntent(address, { inputAmount: 1n }))).rejects.toMatchObject({
      data: { rule: 'daily_limit' },
    });
  });

  it('of many swaps and transfers at once never passes one daily limit', async () => {
    await policy.change({ dailyLimitUsdMicros: 7_500_000n });
    const asked = Array.from({ length: 20 }, (_, n) =>
      n % 2 === 0 ? authorize(swapIntent(address)) : policy.reservedFor(transferIntent(address)),
    );
    const granted = (await Promise.allSettled(asked)).filter(({ status }) => status === 'fulfilled');
    expect(granted).toHaveLength(7);
    expect(await policy.usage()).toEqual({ used: 0n, reserved: 7_000_000n });
  });

  it.each<[string, () => Partial<intentV1.Swap>]>([
    ['has none', () => ({ inputMint: policy.newMint(undefined) })],
    ['is old', () => ({ inputMint: policy.newMint('1', { ageBlocks: 100_000 }) })],
    ['is for other decimals', () => ({ inputMint: policy.newMint('1', { priceDecimals: 9 }) })],
  ])('refuses what is spent when its price %s', async (_, change) => {
    await expectRule(swapIntent(address, change()), 'price_unavailable');
  });

  it('refuses while prices cannot be asked for', async () => {
    policy.world.pricesAreAway = true;
    try {
      await expectRule(swapIntent(address, { inputMint: policy.newMint('1') }), 'price_unavailable');
    } finally {
      policy.world.pricesAreAway = false;
    }
  });
});

describe('a caller that lies', () => {
  const maker = newWallet().address;
  const stranger = newWallet().address;

  it.each<[string, Partial<intentV1.Swap>, string]>([
    ['the mint that is spent', { inputMint: 'USDC' }, 'inputMint'],
    ['the mint that is spent, there being none', { inputMint: stranger }, 'inputMint'],
    ['the mint that is gained', { outputMint: '' }, 'outputMint'],
    ['the mint that is gained, there being none', { outputMint: stranger }, 'outputMint'],
    ['the mint that is gained, being the same', { outputMint: USDC, quotedOutputAmount: 1_000_000n }, 'outputMint'],
    ['the program of what is spent', { inputTokenProgram: stranger }, 'inputTokenProgram'],
    ['the program of what is spent, being the other', { inputTokenProgram: TOKEN_2022_PROGRAM }, 'inputTokenProgram'],
    ['the program of what is gained', { outputTokenProgram: '' }, 'outputTokenProgram'],
    [
      'the program of what is gained, being the other',
      { outputTokenProgram: TOKEN_2022_PROGRAM },
      'outputTokenProgram',
    ],
    ['the decimals', { inputDecimals: 9 }, 'inputDecimals'],
    ['the amount, being nothing', { inputAmount: 0n }, 'inputAmount'],
    ['the quote, being nothing', { quotedOutputAmount: 0n }, 'quotedOutputAmount'],
    ['the least output, being nothing', { minOutputAmount: 0n }, 'minOutputAmount'],
    ['the least output, being more than the tolerance leaves', { minOutputAmount: 6_633_334n }, 'minOutputAmount'],
    [
      'the least output of a quote of next to nothing',
      { quotedOutputAmount: 1n, minOutputAmount: 1n },
      'minOutputAmount',
    ],
    ['the tolerance, being too much', { slippageBps: 5_001, minOutputAmount: 1n }, 'slippageBps'],
    ["the aggregator's fee", { platformFeeBps: 10_000 }, 'platformFeeBps'],
    ['what the network costs', { maxNetworkLamports: 5_000_001n }, 'maxNetworkLamports'],
    ['what the network costs, absurdly', { maxNetworkLamports: U64 }, 'maxNetworkLamports'],
    ['the hash, unset', { resolvedAddressesHash: Buffer.alloc(0) }, 'resolvedAddressesHash'],
    ['the hash, too short', { resolvedAddressesHash: Buffer.alloc(31) }, 'resolvedAddressesHash'],
    ['the maker', { cosigner: 'maker' }, 'cosigner'],
    ['the maker, being empty', { cosigner: '' }, 'cosigner'],
    ['the maker, being a program', { cosigner: TOKEN_PROGRAM }, 'cosigner'],
    ['the maker, being the wallet', { cosigner: address }, 'cosigner'],
  ])('about %s is refused by name', async (_, change, field) => {
    const error = { code: 'VALIDATION_ERROR', details: [{ field: `intent.swap.${field}` }] };
    const { request } = authorization(policy.agentId, transferIntent(address));
    const intent = swapIntent(address, change);
    await expect(swap.authorize({ ...request, intent })).rejects.toMatchObject(error);
    await expect(check(intent)).rejects.toMatchObject(error);
  });

  it('about nothing is granted what lies at the bounds', async () => {
    const bounds: Partial<intentV1.Swap>[] = [
      { slippageBps: 0, minOutputAmount: 6_666_666n },
      { slippageBps: 1, minOutputAmount: 6_666_000n },
      { slippageBps: 5_000, minOutputAmount: 3_333_333n },
      { minOutputAmount: 1n, platformFeeBps: 255, maxNetworkLamports: 20_000n },
      { quotedOutputAmount: U64, cosigner: maker },
    ];
    const unpriced = { outputMint: policy.newMint(undefined), allowUnpricedOutput: true };
    for (const change of bounds) {
      expect(await reservedFor(swapIntent(address, { ...unpriced, ...change }))).toBe(1_000_000n);
    }
  });

  it('about a maker is refused where the operator wants none', () => {
    const intent = swapIntent(address, { cosigner: maker });
    const terms = { maxNetworkLamports: 5_000_000n, allowsCosigned: false };
    const value = intent.action!.value as intentV1.Swap;
    expect(() => checkSwap(intent, value, terms)).toThrow(
      expect.objectContaining({ details: [expect.objectContaining({ field: 'intent.swap.cosigner' })] }),
    );
    expect(() => checkSwap(intent, value, { ...terms, allowsCosigned: true })).not.toThrow();
  });
});
