import { type intentV1, policyV1 } from '@agent-wallet/contracts';
import { TOKEN_2022_PROGRAM, WRAPPED_SOL_MINT } from '@agent-wallet/solana';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import { PolicyUnderTest } from './policy-under-test.js';
import {
  addIntent,
  FOUR_DOLLARS,
  HALF_DOLLAR,
  JUP_SIDE,
  newPool,
  type NewSide,
  removeIntent,
  SOL_SIDE,
  taking,
  type TestPool,
  USDC_SIDE,
} from './pools.js';
import { authorization, newWallet, transferIntent } from './service.js';

const { address } = newWallet();
const USD = 1_000_000n;
/** Value of the usual addition: twenty dollars, and the tolerance of half a percent. */
const VALUE = 20_100_000n;
const NOTHING = { used: 0n, reserved: 0n };
const { SPENDING_LIQUIDITY_ADD, SPENDING_LIQUIDITY_REMOVE, SPENDING_PAYMENT } = policyV1.Spending;

let policy: PolicyUnderTest;
/** The usual pool: its first tokens are of four dollars and of half a dollar. */
let pool: TestPool;

beforeAll(async () => {
  policy = await PolicyUnderTest.start();
  pool = newPool(policy.world);
});
afterAll(() => policy.stop());
beforeEach(() => policy.newAgent());

const authorize = (intent: intentV1.Intent) => policy.swap.authorize(authorization(policy.agentId, intent).request);
const reservedFor = async (intent: intentV1.Intent) => (await authorize(intent)).reservedUsdMicros;
const dryRun = (intent: intentV1.Intent) => policy.swap.dryRunAuthorize({ agentId: policy.agentId, intent });
const refusal = (rule: string, data: object = {}) => ({ code: 'POLICY_VIOLATION', data: { rule, ...data } });

/** Policy refuses by a rule, asked for a permit and asked by a dry run, and counts nothing. */
async function expectRule(intent: intentV1.Intent, rule: string): Promise<void> {
  await expect(authorize(intent)).rejects.toMatchObject(refusal(rule));
  expect(await dryRun(intent)).toMatchObject({ allowed: false, rule });
  expect((await policy.usage()).reserved).toBe(0n);
}

/** Takes so much of a side by its mint, and of the other one. */
function takingOf({ sides }: TestPool, mint: string, amount: bigint, other: bigint): Partial<intentV1.LiquidityAdd> {
  return sides[0].mint === mint ? taking(amount, other) : taking(other, amount);
}

describe('an addition of liquidity', () => {
  /** Worth far more than is taken, so that only its price matters. */
  const PLENTY = 1_000n * USD;

  it.each<[string, [NewSide, bigint], [NewSide, bigint], bigint]>([
    // 15.00000015 and 10.0000002 dollars.
    [
      '9 and 6',
      [{ decimals: 9, usd: '150' }, 100_000_001n],
      [{ decimals: 6, usd: '0.3', tokenProgram: TOKEN_2022_PROGRAM }, 33_333_334n],
      25_000_002n,
    ],
    // 0.7000007 and 9.0000003 dollars.
    [
      '6 and 0',
      [{ decimals: 6, usd: '0.7', tokenProgram: TOKEN_2022_PROGRAM }, 1_000_001n],
      [{ decimals: 0, usd: '3.0000001', tokenProgram: TOKEN_2022_PROGRAM }, 3n],
      9_700_002n,
    ],
    // 15.2345938 and 0.005000000001 dollars.
    [
      '5 and 9',
      [{ decimals: 5, usd: '12.34' }, 123_457n],
      [{ decimals: 9, usd: '0.001' }, 5_000_000_001n],
      15_239_595n,
    ],
  ])('counts both maxima, each rounded up: %s decimals', async (_, [one, amount], [other, otherAmount], value) => {
    const mint = newWallet().address;
    const mixed = newPool(policy.world, [{ ...one, mint }, other]);
    const add = addIntent(address, mixed, { liquidity: PLENTY, ...takingOf(mixed, mint, amount, otherAmount) });
    expect(await dryRun(add)).toMatchObject({ allowed: true, rule: '', valueUsdMicros: value });
    expect(await reservedFor(add)).toBe(value);
    expect(await policy.usage()).toEqual({ used: 0n, reserved: value });
  });

  it.each([
    ['first', 0, [SOL_SIDE, USDC_SIDE]],
    ['second', 1, [SOL_SIDE, JUP_SIDE]],
  ] as const)('counts SOL that is the %s token by its own price', async (_, side, sides) => {
    const withSol = newPool(policy.world, [...sides]);
    expect(withSol.sides[side].mint).toBe(WRAPPED_SOL_MINT);
    const amounts = takingOf(withSol, WRAPPED_SOL_MINT, 100_000_000n, 2n * USD);
    const usd = 15n * USD + (side === 0 ? 2n * USD : 1n * USD);
    expect(await reservedFor(addIntent(address, withSol, { liquidity: usd, ...amounts }))).toBe(usd);
  });

  it('counts by the highest prices of the day, and is fair by present ones', async () => {
    const falling = newPool(policy.world);
    const mint = falling.sides.find(({ decimals }) => decimals === 9)!.mint;
    const add = addIntent(address, falling);
    await authorize(add);
    expect(await dryRun(add)).toMatchObject({ valueUsdMicros: VALUE, trade: { inputUsdMicros: VALUE, lossBps: 50 } });
    policy.world.prices.set(mint, { usd: '3.2', decimals: 9 });
    policy.outliveReadings();
    expect(await dryRun(add)).toMatchObject({
      ...{ allowed: true, valueUsdMicros: VALUE },
      // A fifth less of one side, and 2·√0.8 of 2 of the share.
      trade: { inputUsdMicros: 18_090_000n, leastOutputUsdMicros: 17_888_543n, lossBps: 112 },
    });
    expect(await reservedFor(add)).toBe(VALUE);
  });

  it('of more than can be counted is refused: by its sum at present prices, and at the highest ones', async () => {
    const whole = { decimals: 0, usd: '1' };
    const giant = newPool(policy.world, [whole, whole]);
    const trillions = (count: bigint) =>
      addIntent(address, giant, { liquidity: 1n, ...taking(count * 10n ** 12n, count * 10n ** 12n) });
    await expectRule(trillions(9n), 'price_unavailable');
    await authorize(addIntent(address, giant, taking(10n, 10n)));
    await policy.newAgent();
    for (const { mint } of giant.sides) policy.world.prices.set(mint, { usd: '0.75', decimals: 0 });
    policy.outliveReadings();
    await expectRule(trillions(6n), 'single_transaction_limit');
  });
});

describe('the limits', () => {
  it('allow what equals the single one, and nothing above', async () => {
    await policy.change({ maxSingleTransactionUsdMicros: VALUE });
    expect(await reservedFor(addIntent(address, pool))).toBe(VALUE);
    await policy.newAgent();
    await policy.change({ maxSingleTransactionUsdMicros: VALUE - 1n });
    await expect(authorize(addIntent(address, pool))).rejects.toMatchObject(
      refusal('single_transaction_limit', { requestedUsdMicros: '20100000', limitUsdMicros: '20099999' }),
    );
    await expectRule(addIntent(address, pool), 'single_transaction_limit');
  });

  it('allow what equals the rest of the day, and nothing above', async () => {
    await policy.change({ dailyLimitUsdMicros: VALUE + 2n * USD });
    await policy.reservedFor(transferIntent(address, { amount: 2n * USD + 1n }));
    await expect(authorize(addIntent(address, pool))).rejects.toMatchObject(
      refusal('daily_limit', { requestedUsdMicros: '20100000', remainingUsdMicros: '20099999' }),
    );
    expect(await dryRun(addIntent(address, pool))).toMatchObject({ allowed: false, rule: 'daily_limit' });
    await policy.change({ dailyLimitUsdMicros: VALUE + 2n * USD + 1n });
    expect(await reservedFor(addIntent(address, pool))).toBe(VALUE);
    await expect(policy.reservedFor(transferIntent(address, { amount: 1n }))).rejects.toMatchObject(
      refusal('daily_limit', { remainingUsdMicros: '0' }),
    );
  });
});

describe('a token without a price', () => {
  it.each<[string, [NewSide, NewSide]]>([
    ['one', [{ decimals: 9 }, HALF_DOLLAR]],
    ['the other', [FOUR_DOLLARS, { decimals: 6 }]],
    ['both', [{ decimals: 9 }, { decimals: 6 }]],
  ])('is refused, though an owner has listed it: %s', async (_, sides) => {
    const unpriced = newPool(policy.world, sides);
    const add = addIntent(address, unpriced);
    await expectRule(add, 'price_unavailable');
    const mints = unpriced.sides.map(({ mint }) => mint);
    await policy.setOwned('unpriced_tokens', mints);
    await expectRule(add, 'price_unavailable');
  });

  it.each([
    ['is stale', { usd: '4', decimals: 9, ageBlocks: 1_000 }],
    ['is of other decimals', { usd: '4', decimals: 6 }],
    ['is thin', { usd: '4', decimals: 9, liquidity: 9_999 }],
  ])('is one whose price %s', async (_, price) => {
    const doubtful = newPool(policy.world);
    policy.world.prices.set(doubtful.sides.find(({ decimals }) => decimals === 9)!.mint, price);
    await expectRule(addIntent(address, doubtful), 'price_unavailable');
  });

  it('is every token while prices cannot be asked for', async () => {
    const unread = newPool(policy.world);
    policy.world.pricesAreAway = true;
    await expectRule(addIntent(address, unread), 'price_unavailable').finally(() => {
      policy.world.pricesAreAway = false;
    });
    expect(await reservedFor(addIntent(address, unread))).toBe(VALUE);
  });
});

describe('the switch of liquidity', () => {
  const check = (spending: policyV1.Spending) => policy.swap.checkSpending({ agentId: policy.agentId, spending });

  it('off refuses both ways by its name, of any value, and nothing else', async () => {
    await policy.change({ allowLiquidityProvision: false });
    for (const intent of [
      addIntent(address, pool),
      addIntent(address, pool, { liquidity: 1_000_000n * USD }),
      addIntent(address, newPool(policy.world, [{ decimals: 9 }, { decimals: 6 }])),
      removeIntent(address, pool),
    ]) {
      await expectRule(intent, 'liquidity_disabled');
    }
    for (const spending of [SPENDING_LIQUIDITY_ADD, SPENDING_LIQUIDITY_REMOVE]) {
      await expect(check(spending)).rejects.toMatchObject(refusal('liquidity_disabled'));
    }
    await check(SPENDING_PAYMENT);
    expect(await policy.reservedFor(transferIntent(address))).toBe(1_000_000n);
  });

  it('gives no further permit once it is off, and a fresh one when it is on again', async () => {
    const { request } = authorization(policy.agentId, addIntent(address, pool));
    await policy.swap.authorize(request);
    await policy.change({ allowLiquidityProvision: false });
    await expect(policy.swap.authorize(request)).rejects.toMatchObject(refusal('liquidity_disabled'));
    await policy.change({ allowLiquidityProvision: true });
    expect(await policy.swap.authorize(request)).toMatchObject({ reservedUsdMicros: VALUE });
    expect(await policy.usage()).toEqual({ used: 0n, reserved: VALUE });
  });

  it('on lets both ways pass when the other switches are off', async () => {
    await policy.change({ allowTrading: false, allowPredictionMarkets: false });
    await check(SPENDING_LIQUIDITY_ADD);
    await check(SPENDING_LIQUIDITY_REMOVE);
    expect(await reservedFor(addIntent(address, pool))).toBe(VALUE);
    expect(await reservedFor(removeIntent(address, pool))).toBe(0n);
  });
});

describe('a freeze', () => {
  it('refuses both ways', async () => {
    const ops = await policy.service.as('ops');
    await ops.setFreeze({ agentId: policy.agentId, operator: 'me', reason: 'a test', frozen: true });
    for (const intent of [addIntent(address, pool), removeIntent(address, pool)]) await expectRule(intent, 'frozen');
    for (const spending of [SPENDING_LIQUIDITY_ADD, SPENDING_LIQUIDITY_REMOVE]) {
      const asked = policy.swap.checkSpending({ agentId: policy.agentId, spending });
      await expect(asked).rejects.toMatchObject(refusal('frozen'));
    }
  });
});

describe('a removal of liquidity', () => {
  let own: TestPool;

  const permits = async (intent: intentV1.Intent) => {
    const seen = await dryRun(intent);
    expect(seen).toMatchObject({ allowed: true, rule: '', valueUsdMicros: 0n });
    expect(seen.approval).toBeUndefined();
    expect(await reservedFor(intent)).toBe(0n);
  };

  it('counts nothing, of any value, under any limit', async () => {
    await policy.change({ dailyLimitUsdMicros: 2n * USD, maxSingleTransactionUsdMicros: 1n * USD });
    await permits(removeIntent(address, pool, { liquidity: 100_000n * USD }));
    expect(await policy.usage()).toEqual(NOTHING);
  });

  it('passes once the day is spent', async () => {
    await policy.change({ dailyLimitUsdMicros: 1n * USD, maxSingleTransactionUsdMicros: 1n * USD });
    await policy.reservedFor(transferIntent(address));
    await permits(removeIntent(address, pool));
    // More is spent than the day allows.
    await policy.change({ dailyLimitUsdMicros: USD / 2n, maxSingleTransactionUsdMicros: USD / 2n });
    await permits(removeIntent(address, pool));
    expect(await policy.usage()).toEqual({ used: 0n, reserved: 1n * USD });
  });

  it.each<[string, () => unknown]>([
    ['its tokens have no prices', () => (own = newPool(policy.world, [{ decimals: 9 }, { decimals: 6 }]))],
    ['prices cannot be asked for', () => (policy.world.pricesAreAway = true)],
    ['the node does not answer', () => (policy.world.nodeIsAway = true)],
    ['the pool cannot be read', () => policy.world.accounts.delete(own.pool)],
    ['no token is listed', () => policy.change({ allowedTokens: { list: { entries: [] } } })],
    ['recipients are restricted', () => policy.change({ allowedRecipients: { entries: [newWallet().address] } })],
  ])('passes while %s', async (_, restrict) => {
    own = newPool(policy.world);
    await restrict();
    await permits(removeIntent(address, own)).finally(() => {
      policy.world.pricesAreAway = false;
      policy.world.nodeIsAway = false;
    });
  });
});
