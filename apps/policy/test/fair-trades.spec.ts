import type { intentV1, policyV1 } from '@agent-wallet/contracts';
import { WRAPPED_SOL_MINT } from '@agent-wallet/solana';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import { USDC } from './policy-peers.js';
import { PolicyUnderTest } from './policy-under-test.js';
import { authorization, newWallet, swapIntent, transferIntent } from './service.js';

const { address } = newWallet();
const USD = 1_000_000n;

let policy: PolicyUnderTest;

beforeAll(async () => {
  policy = await PolicyUnderTest.start();
});
afterAll(() => policy.stop());
beforeEach(() => policy.newAgent());

const authorize = (intent: intentV1.Intent) => policy.swap.authorize(authorization(policy.agentId, intent).request);
const dryRun = (intent: intentV1.Intent) => policy.swap.dryRunAuthorize({ agentId: policy.agentId, intent });
const unfair = (data: object = {}) => ({ code: 'POLICY_VIOLATION', data: { rule: 'trade_unfair', ...data } });

/** A trade of a hundred dollars for so many cents' worth of a token of a dollar. */
function tradeFor(cents: bigint, change: Partial<intentV1.Swap> = {}): intentV1.Intent {
  const output = cents * 10_000n;
  return swapIntent(address, {
    ...{ inputAmount: 100n * USD, outputMint: change.outputMint ?? policy.newMint('1') },
    ...{ quotedOutputAmount: output + output / 100n, minOutputAmount: output, slippageBps: 50 },
    ...change,
  });
}

/** Sets what only an owner's signature sets. */
const setOwned = (column: string, value: unknown) =>
  policy.database.rows(
    `update policies set ${column} = $2, version = version + 1 where agent_id = $1`,
    policy.agentId,
    value,
  );

describe('a trade', () => {
  it('of 200 million dollars for 4.4 million is refused with its figures', async () => {
    await policy.change({ maxSingleTransactionUsdMicros: 10n ** 15n, dailyLimitUsdMicros: 10n ** 15n });
    const whale = swapIntent(address, {
      ...{
        inputAmount: 200_000_000n * USD,
        quotedOutputAmount: 29_894_470_000_000n,
        minOutputAmount: 29_333_333_333_333n,
      },
    });
    await expect(authorize(whale)).rejects.toMatchObject(
      unfair({
        inputUsdMicros: '200000000000000',
        leastOutputUsdMicros: '4399999999999',
        lossPercent: 97.81,
        maxLossPercent: 10,
      }),
    );
    expect(await dryRun(whale)).toMatchObject({
      allowed: false,
      rule: 'trade_unfair',
      trade: { inputUsdMicros: 200_000_000n * USD, lossBps: 9_781, maxLossBps: 1_000 },
    });
    expect(await policy.usage()).toEqual({ used: 0n, reserved: 0n });
  });

  it.each([
    ['90 %', 9_000n, undefined, true],
    ['less than 90 %', 8_999n, undefined, false],
    ['60 % where the request names 40', 6_000n, 4_000, true],
    ['the slippage less than that', 5_950n, 4_000, true],
    ['a cent less again', 5_949n, 4_000, false],
    ['97 % where the request names 2', 9_700n, 200, false],
    ['half and the slippage, where it names the most', 4_950n, 5_000, true],
  ])('that brings at least %s of what it takes: %i cents, %s bps: %s', async (_, cents, maxPriceImpactBps, passes) => {
    const trade = tradeFor(cents, { maxPriceImpactBps });
    expect(await dryRun(trade)).toMatchObject({ allowed: passes, trade: { leastOutputUsdMicros: cents * 10_000n } });
    if (passes) expect(await authorize(trade)).toMatchObject({ reservedUsdMicros: 100n * USD });
    else await expect(authorize(trade)).rejects.toMatchObject(unfair());
  });

  it('that names more than half is invalid', async () => {
    await expect(dryRun(tradeFor(9_000n, { maxPriceImpactBps: 5_001 }))).rejects.toMatchObject({
      details: [{ field: 'intent.swap.maxPriceImpactBps' }],
    });
  });

  it('is bounded by the owner, at both sides', async () => {
    await setOwned('max_trade_loss_bps', 300);
    expect(await dryRun(tradeFor(9_700n, { maxPriceImpactBps: 5_000 }))).toMatchObject({ allowed: true });
    await expect(authorize(tradeFor(9_699n, { maxPriceImpactBps: 5_000 }))).rejects.toMatchObject(
      unfair({ lossPercent: 3.01, maxLossPercent: 3 }),
    );
  });

  it('keeps the permit of what it was granted when prices move', async () => {
    const mint = policy.newMint('1');
    const { request } = authorization(policy.agentId, tradeFor(9_500n, { outputMint: mint }));
    await policy.swap.authorize(request);
    policy.world.prices.set(mint, { usd: '0.5', decimals: 6 });
    policy.outliveReadings();
    expect(await policy.swap.authorize(request)).toMatchObject({ reservedUsdMicros: 100n * USD });
  });

  it('counts what it takes by the high of the day, and is fair by present prices', async () => {
    const mint = policy.newMint('2');
    await policy.reservedFor(transferIntent(address, { mint, amount: 1n }));
    policy.world.prices.set(mint, { usd: '1.5', decimals: 6 });
    policy.outliveReadings();
    const sale = swapIntent(address, {
      ...{ inputMint: mint, inputAmount: 10n * USD, outputMint: USDC },
      ...{ quotedOutputAmount: 15n * USD, minOutputAmount: 14n * USD },
    });
    expect(await dryRun(sale)).toMatchObject({ allowed: true, valueUsdMicros: 20n * USD, trade: { lossBps: 667 } });
  });
});

describe('an output without a price', () => {
  const forUnpriced = (change: Partial<intentV1.Swap> = {}) =>
    tradeFor(1n, { outputMint: policy.newMint(undefined), ...change });

  it('is refused unless the request takes it', async () => {
    await expect(authorize(forUnpriced())).rejects.toMatchObject(unfair());
    expect(await authorize(forUnpriced({ allowUnpricedOutput: true }))).toMatchObject({
      reservedUsdMicros: 100n * USD,
    });
  });

  it('that may come back makes the request try again, though it would take it', async () => {
    const outputMint = policy.newMint('1', { ageBlocks: 1_000 });
    await expect(authorize(tradeFor(10_000n, { outputMint, allowUnpricedOutput: true }))).rejects.toMatchObject({
      data: { rule: 'price_unavailable' },
    });
  });

  it('is one with too little liquidity as well: a pumped token pays for nothing', async () => {
    const outputMint = policy.newMint('1000000');
    policy.world.prices.set(outputMint, { usd: '1000000', decimals: 6, liquidity: 9_999 });
    await expect(authorize(tradeFor(1_000_000n, { outputMint }))).rejects.toMatchObject(unfair());
  });

  it.each<[string, () => Promise<unknown>]>([
    ['restricts recipients', () => policy.change({ allowedRecipients: { entries: [address] } })],
    ['denies new recipients', () => policy.change({ newRecipients: 3 satisfies policyV1.NewRecipients })],
    ['bounds the loss', () => setOwned('max_trade_loss_bps', 9_000)],
  ])('is refused where the policy %s', async (_, restrict) => {
    await restrict();
    await expect(authorize(forUnpriced({ allowUnpricedOutput: true }))).rejects.toMatchObject(unfair());
  });
});

describe('a token without a price', () => {
  it('leaves only where an owner has listed it, at the value of all else', async () => {
    const mint = policy.newMint(undefined);
    const sale = swapIntent(address, { inputMint: mint, quotedOutputAmount: 2n, minOutputAmount: 1n });
    const payment = transferIntent(address, { mint, createsRecipientAccount: true });
    await expect(authorize(sale)).rejects.toMatchObject({ data: { rule: 'price_unavailable' } });
    await expect(policy.reservedFor(payment)).rejects.toMatchObject({ data: { rule: 'price_unavailable' } });
    await setOwned('unpriced_tokens', [mint]);
    expect(await authorize(sale)).toMatchObject({ reservedUsdMicros: 0n });
    // The rent of the recipient's account.
    expect(await policy.reservedFor(payment)).toBe(305_892n);
    expect(await dryRun(sale)).toMatchObject({ allowed: true, valueUsdMicros: 0n });
  });

  it.each<[string, (mint: string) => void]>([
    ['is stale', (mint) => policy.world.prices.set(mint, { usd: '1', decimals: 6, ageBlocks: 1_000 })],
    ['is of other decimals', (mint) => policy.world.prices.set(mint, { usd: '1', decimals: 9 })],
    ['cannot be read', () => (policy.world.pricesAreAway = true)],
  ])('at present, because the price %s, does not leave though it is listed', async (_, lose) => {
    const mint = policy.newMint('1');
    await setOwned('unpriced_tokens', [mint]);
    lose(mint);
    const sale = swapIntent(address, { inputMint: mint, allowUnpricedOutput: true });
    const refusal = { data: { rule: 'price_unavailable' } };
    await expect(authorize(sale)).rejects.toMatchObject(refusal);
    await expect(policy.reservedFor(transferIntent(address, { mint }))).rejects.toMatchObject(refusal);
    policy.world.pricesAreAway = false;
  });

  it('that had a price within a day does not leave, though it is listed and its market was drained', async () => {
    const mint = policy.newMint('5');
    await setOwned('unpriced_tokens', [mint]);
    await policy.reservedFor(transferIntent(address, { mint, amount: 1n }));
    policy.world.prices.set(mint, { usd: '5', decimals: 6, liquidity: 5 });
    policy.outliveReadings();
    const drained = policy.reservedFor(transferIntent(address, { mint, amount: 90_000n * USD }));
    await expect(drained).rejects.toMatchObject({ data: { rule: 'price_unavailable' } });
  });

  it('that has a price counts with it, listed or not', async () => {
    const mint = policy.newMint('1');
    await setOwned('unpriced_tokens', [mint]);
    expect(await policy.reservedFor(transferIntent(address, { mint, amount: 5n * USD }))).toBe(5n * USD);
  });
});

describe('a claimed agent with a recipient rule', () => {
  const worthless = () => tradeFor(10_000n, { outputMint: policy.newMint('1') });
  const claim = () => setOwned('claimed_at', new Date());
  const restrict = () => policy.change({ allowedRecipients: { entries: [address] } });
  const refusal = { code: 'POLICY_VIOLATION', data: { rule: 'token_not_allowed' } };

  it('acquires tokens with a name and verified ones, and no others', async () => {
    await restrict();
    await claim();
    await expect(authorize(worthless())).rejects.toMatchObject(refusal);
    expect(await dryRun(worthless())).toMatchObject({ allowed: false, rule: 'token_not_allowed' });
    const verified = policy.newMint('1');
    policy.world.verified.add(verified);
    expect(await dryRun(tradeFor(10_000n, { outputMint: verified }))).toMatchObject({ allowed: true });
    expect(await dryRun(swapIntent(address, { outputMint: WRAPPED_SOL_MINT }))).toMatchObject({ allowed: true });
  });

  it('acquires what an owner has listed, verified or not, and not what it listed itself', async () => {
    const listed = policy.newMint('1');
    await policy.change({
      allowedRecipients: { entries: [address] },
      allowedTokens: { list: { entries: [listed] } },
    });
    await claim();
    expect(await dryRun(tradeFor(10_000n, { outputMint: listed }))).toMatchObject({
      allowed: false,
      rule: 'token_not_allowed',
    });
    await setOwned('owner_listed_tokens', [listed]);
    expect(await dryRun(tradeFor(10_000n, { outputMint: listed }))).toMatchObject({ allowed: true });
  });

  it('is refused at once, until its token can be looked up', async () => {
    await restrict();
    await claim();
    const verified = policy.newMint('1');
    policy.world.verified.add(verified);
    const trade = tradeFor(10_000n, { outputMint: verified });
    policy.world.lookUpsAreAway = true;
    await expect(authorize(trade)).rejects.toMatchObject({
      ...{ code: 'POLICY_VIOLATION', message: expect.stringContaining('cannot be looked up now') },
      data: { rule: 'token_not_allowed', retryAtMs: expect.any(Number) },
    });
    expect(await dryRun(trade)).toMatchObject({ allowed: false, rule: 'token_not_allowed' });
    policy.world.lookUpsAreAway = false;
    expect(await authorize(trade)).toMatchObject({ reservedUsdMicros: expect.any(BigInt) });
  });

  it('alone is asked about: every other agent trades as it likes, and uses up no calls', async () => {
    policy.world.calls.length = 0;
    expect(await dryRun(worthless())).toMatchObject({ allowed: true });
    await restrict();
    expect(await dryRun(worthless())).toMatchObject({ allowed: true });
    expect(policy.world.calls.filter((call) => call.startsWith('tokens'))).toEqual([]);
  });
});
