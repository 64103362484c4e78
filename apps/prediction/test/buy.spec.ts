import { predictionV1 } from '@agent-wallet/contracts';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import { buyToTheEnd } from './saga-checks.js';
import { SagaWorld } from './saga-world.js';

let world: SagaWorld;

beforeAll(async () => {
  world = await SagaWorld.open();
});

beforeEach(() => world.calm());

afterEach(() => world.stopCopies());

afterAll(() => world.close());

const END = { isConfirmed: true, order: { status: 'filled', filled: 1_000n } };

describe('a buy', () => {
  it('takes the worst case, buys what it needs, and brings back the rest', async () => {
    const agent = world.agent();
    const call = world.buyCall(agent);
    const { answer } = await buyToTheEnd(world, world.copy(), call);
    // 3 at 42 and 7 at 43 cents.
    expect(answer).toMatchObject({ ...END, order: { totalUsdMicros: 4_270_000n } });
    const { amount: taken, order } = world.wallet.landed(call.operationId, 1)[0]!;
    const { ticker, side } = call.request;
    const [count, maxPriceUsdMicros] = [1_000n, 450_000n];
    expect(order).toEqual({ ticker, side, count, maxPriceUsdMicros, maxCostUsdMicros: taken });
    // 45 cents for each: the worst level and two cents; and the fee at that price.
    expect(taken).toBeGreaterThan(4_500_000n + 173_300n);
    expect(answer!.refundedUsdMicros).toBe(taken - answer!.order.totalUsdMicros - answer!.order.feeUsdMicros);
    expect((await world.published(call.operationId)).map(({ status }) => status)).toHaveLength(3);
  });

  it('of no pays $1 less the bid for yes', async () => {
    const { answer } = await buyToTheEnd(world, world.copy(), world.buyCall(world.agent(), { side: 'no' }));
    expect(answer).toMatchObject({ ...END, order: { totalUsdMicros: 6_000_000n } });
  });

  it('pays what was said at most, and tells what of it was filled', async () => {
    const { answer } = await buyToTheEnd(
      world,
      world.copy(),
      world.buyCall(world.agent(), { maxPriceUsdMicros: 420_000n }),
    );
    expect(answer).toMatchObject({ order: { status: 'partially_filled', filled: 300n, totalUsdMicros: 1_260_000n } });
  });

  it('is confirmed and cancelled when the book is empty by then', async () => {
    world.exchange.partial = 0n;
    const { answer } = await buyToTheEnd(world, world.copy(), world.buyCall(world.agent()));
    expect(answer).toMatchObject({ isConfirmed: true, order: { status: 'cancelled', filled: 0n } });
  });

  it('of which the price runs away is cancelled', async () => {
    world.wallet.onEffect = async (what) => {
      if (what === 'escrow')
        world.exchange.book = { yesBids: [], noBids: [{ priceUsdMicros: 500_000n, count: 9_000n }] };
    };
    const { answer } = await buyToTheEnd(world, world.copy(), world.buyCall(world.agent()));
    expect(answer).toMatchObject({ order: { status: 'cancelled' } });
  });

  it('of which the book is dearer than what was said is cancelled, and nothing moves', async () => {
    const call = world.buyCall(world.agent(), { maxPriceUsdMicros: 410_000n });
    const copies = [world.copy(), world.copy()];
    const ends = await Promise.all([...copies, ...copies].map((copy) => buyToTheEnd(world, copy, call)));
    for (const { answer } of ends) {
      expect(answer).toMatchObject({
        isConfirmed: true,
        order: { eventTicker: expect.stringMatching(/./) },
        signature: '',
      });
      expect(answer).toMatchObject({ refundedUsdMicros: 0n, order: { status: 'cancelled', filled: 0n, orderId: '' } });
    }
    expect([...world.wallet.attempts.keys()].some((key) => key.startsWith(call.operationId))).toBe(false);
    const published = await world.published(call.operationId);
    expect(published).toHaveLength(1);
    const { rows } = await world.database.pool.query('select state, plan from operations where id = $1', [
      call.operationId,
    ]);
    expect(rows).toMatchObject([{ state: 'confirmed', plan: { state: 'beyond_limit', order: { action: 'buy' } } }]);
    await expect(
      copies[0]!.buy.execute({ ...call, request: { ...call.request, maxPriceUsdMicros: 420_000n } }),
    ).rejects.toMatchObject({ code: 'IDEMPOTENCY_MISMATCH' });
  });

  it('of which the book is dearer than what was said is rejected while the switch is off', async () => {
    world.isSwitchedOn = false;
    const call = world.buyCall(world.agent(), { maxPriceUsdMicros: 410_000n });
    const { error } = await buyToTheEnd(world, world.copy(), call);
    expect(error).toMatchObject({ code: 'POLICY_VIOLATION', data: { rule: 'prediction_markets_disabled' } });
  });

  it('takes its last micro-dollar, and not one more', async () => {
    const probe = world.buyCall(world.agent());
    await buyToTheEnd(world, world.copy(), probe);
    const { amount } = world.wallet.landed(probe.operationId, 1)[0]!;
    const [rich, poor] = [world.agent(), world.agent()];
    world.wallet.funds.set(rich, amount);
    world.wallet.funds.set(poor, amount - 1n);
    expect((await buyToTheEnd(world, world.copy(), world.buyCall(rich))).answer).toMatchObject(END);
    const { error } = await buyToTheEnd(world, world.copy(), world.buyCall(poor));
    expect(error?.code).toBe('INSUFFICIENT_FUNDS');
  });

  it('is answered the same again, and done once', async () => {
    const call = world.buyCall(world.agent());
    const copies = [world.copy(), world.copy()];
    const answers = await Promise.all([...copies, ...copies].map(({ buy }) => buy.execute(call)));
    expect(new Set(answers.map(({ order }) => order.orderId)).size).toBe(1);
    expect(world.wallet.landed(call.operationId, 1)).toHaveLength(1);
    await expect(
      copies[0]!.buy.execute({ ...call, request: { ...call.request, count: 1_100n } }),
    ).rejects.toMatchObject({
      code: 'IDEMPOTENCY_MISMATCH',
    });
    await world.audit();
  });
});

describe('before anything moves, a buy is refused', () => {
  it.each<[string, () => void, string]>([
    [
      'in a market that is closed',
      () => void (world.exchange.trading = { status: 'closed', paused: false }),
      'MARKET_CLOSED',
    ],
    ['in a paused market', () => void (world.exchange.trading = { status: 'open', paused: true }), 'MARKET_PAUSED'],
    ['with an empty book', () => void (world.exchange.book = { yesBids: [], noBids: [] }), 'NO_LIQUIDITY'],
    ['while the exchange rests', () => void (world.exchange.tradingActive = false), 'SERVICE_UNAVAILABLE'],
    ['when USDC is worth 98.9 cents', () => void (world.usdcPrice = '0.989'), 'SERVICE_UNAVAILABLE'],
    ['when USDC is worth 101.1 cents', () => void (world.usdcPrice = '1.011'), 'SERVICE_UNAVAILABLE'],
    ['when USDC has no price', () => void (world.usdcPrice = 'fails'), 'UPSTREAM_TIMEOUT'],
  ])('%s', async (_, script, code) => {
    script();
    const call = world.buyCall(world.agent());
    expect((await buyToTheEnd(world, world.copy(), call)).error?.code).toBe(code);
    expect([...world.wallet.attempts.keys()].some((key) => key.startsWith(call.operationId))).toBe(false);
  });

  it('when the operator lacks cash at the exchange', async () => {
    const { cash } = world.exchange;
    world.exchange.cash = 4_000_000n;
    const { error } = await world
      .copy()
      .buy.execute(world.buyCall(world.agent()))
      .then(
        () => ({ error: undefined }),
        (thrown: { code: string }) => ({ error: thrown }),
      );
    world.exchange.cash = cash;
    expect(error?.code).toBe('SERVICE_UNAVAILABLE');
  });

  it('when its market is not there, and history has it in full', async () => {
    const call = world.buyCall(world.agent(), { ticker: 'M-2' });
    expect((await buyToTheEnd(world, world.copy(), call)).error?.code).toBe('NOT_FOUND');
    const [event] = await world.published(call.operationId);
    const { action, errorJson } = event!.facts!;
    expect(action).toMatchObject({
      $case: 'predictionBuy',
      value: { order: { ticker: 'M-2', side: predictionV1.Side.SIDE_YES, countHundredths: 1_000n } },
    });
    expect(JSON.parse(errorJson)).toMatchObject({ code: 'NOT_FOUND' });
  });

  it.each([
    [{ count: 0 }, 'count'],
    [{ count: 1.5 }, 'count'],
    [{ count: 100_001 }, 'count'],
    [{ maxPriceUsdMicros: 0n }, 'maxPriceDollars'],
    [{ maxPriceUsdMicros: 1_000_000n }, 'maxPriceDollars'],
    [{ ticker: '' }, 'ticker'],
  ])('for %j', async (wrong, field) => {
    const { buy } = world.copy();
    await expect(buy.execute(world.buyCall(world.agent(), wrong))).rejects.toMatchObject({ details: [{ field }] });
  });

  it('but not at the bounds of what USDC may be worth', async () => {
    for (const price of ['0.99', '1.01']) {
      world.usdcPrice = price;
      expect((await buyToTheEnd(world, world.copy(), world.buyCall(world.agent()))).answer).toMatchObject(END);
    }
  });
});
