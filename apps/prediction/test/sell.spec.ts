import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import { buyToTheEnd, endOf, owedTo, sellToTheEnd } from './saga-checks.js';
import { SagaWorld } from './saga-world.js';
import type { OrderMood } from './scripted-exchange.js';
import type { CallMood } from './scripted-wallet.js';

let world: SagaWorld;

beforeAll(async () => {
  world = await SagaWorld.open();
});

beforeEach(() => world.calm());

afterEach(() => world.stopCopies());

afterAll(() => world.close());

/** An agent that holds contracts. */
async function holder(count = 10, side: 'yes' | 'no' = 'yes'): Promise<string> {
  const agent = world.agent();
  const { answer } = await buyToTheEnd(world, world.copy(), world.buyCall(agent, { count, side }));
  expect(answer?.order.filled).toBe(BigInt(count) * 100n);
  return agent;
}

const END = { isConfirmed: true, isPaidToBalance: false, order: { status: 'filled', filled: 1_000n } };

describe('a sale', () => {
  it('sells what is held, and pays the wallet what it brought less the fee', async () => {
    const agent = await holder();
    const call = world.sellCall(agent);
    const { answer } = await sellToTheEnd(world, world.copy(), call);
    expect(answer).toMatchObject({ ...END, order: { totalUsdMicros: 4_000_000n } });
    expect(world.wallet.landed(call.operationId, 3)[0]!.amount).toBe(4_000_000n - answer!.order.feeUsdMicros);
    expect((await world.published(call.operationId)).length).toBe(2);
  });

  it('of no takes what asks for yes leave', async () => {
    const { answer } = await sellToTheEnd(world, world.copy(), world.sellCall(await holder(10, 'no'), { side: 'no' }));
    expect(answer).toMatchObject({ order: { totalUsdMicros: 1_740_000n + 3_990_000n } });
  });

  it('takes what was said at least, and keeps what is left', async () => {
    const agent = await holder(100);
    const { answer } = await sellToTheEnd(
      world,
      world.copy(),
      world.sellCall(agent, { count: 100, minPriceUsdMicros: 400_000n }),
    );
    expect(answer).toMatchObject({ order: { status: 'partially_filled', filled: 5_000n } });
    expect(await world.ledger.freeContractsOf(agent, 'M-1', 'yes')).toBe(5_000n);
  });

  it('takes any hundredth of a contract, and the shown rest leaves no position', async () => {
    const agent = await holder(2);
    for (const count of [0.01, 0.5, 1.49]) {
      const { answer } = await sellToTheEnd(world, world.copy(), world.sellCall(agent, { count }));
      expect(answer).toMatchObject({ order: { status: 'filled', filled: BigInt(Math.round(count * 100)) } });
    }
    expect((await world.ledger.positionsOf(agent, undefined)).positions).toEqual([]);
    await world.audit();
  });

  it.each([
    [0, 'must be from 0.01 to 1000000000'],
    [1_000_000_000.01, 'must be from 0.01 to 1000000000'],
  ])('of %d contracts is refused', async (count, reason) => {
    const { sell } = world.copy();
    await expect(sell.execute(world.sellCall(world.agent(), { count }))).rejects.toMatchObject({
      details: [{ field: 'count', reason }],
    });
  });

  it('below what was said is cancelled, and nothing is locked', async () => {
    const agent = await holder();
    const call = world.sellCall(agent, { minPriceUsdMicros: 410_000n });
    const copies = [world.copy(), world.copy()];
    const ends = await Promise.all([...copies, ...copies].map((copy) => sellToTheEnd(world, copy, call)));
    for (const { answer } of ends) {
      expect(answer).toMatchObject({ isConfirmed: true, signature: '', order: { status: 'cancelled', filled: 0n } });
    }
    expect(await world.ledger.freeContractsOf(agent, 'M-1', 'yes')).toBe(1_000n);
    expect(await world.published(call.operationId)).toHaveLength(1);
  });

  it('to a bid far below the book is refused, and nothing is locked', async () => {
    const agent = await holder();
    const bid = { priceUsdMicros: 10_000n, count: 100_000n };
    world.exchange.book = { ...world.exchange.book, yesBids: [bid] };
    const { error } = await sellToTheEnd(world, world.copy(), world.sellCall(agent, { minPriceUsdMicros: 10_000n }));
    expect(error).toMatchObject({ code: 'NO_LIQUIDITY', data: { bestPriceCents: 1 } });
    expect(await world.ledger.freeContractsOf(agent, 'M-1', 'yes')).toBe(1_000n);
  });

  it('keeps the bound on the loss of trades that the owner has set', async () => {
    const agent = await holder();
    const { yesBids, ...asks } = world.exchange.book;
    world.exchange.book = { ...asks, yesBids: yesBids.map((bid) => ({ ...bid, priceUsdMicros: 250_000n })) };
    world.maxTradeLossBps = 1_000;
    const call = world.sellCall(agent, { minPriceUsdMicros: 250_000n });
    expect((await sellToTheEnd(world, world.copy(), call)).error?.code).toBe('NO_LIQUIDITY');
    world.maxTradeLossBps = undefined;
    const again = world.sellCall(agent, { minPriceUsdMicros: 250_000n });
    expect((await sellToTheEnd(world, world.copy(), again)).answer).toMatchObject({ order: { status: 'filled' } });
  });

  it('of more than is held is refused', async () => {
    const agent = await holder();
    const { error } = await sellToTheEnd(world, world.copy(), world.sellCall(agent, { count: 10.01 }));
    expect(error).toMatchObject({
      code: 'INSUFFICIENT_POSITION',
      data: { requestedCount: 10.01, availableCount: 10 },
    });
    expect((await sellToTheEnd(world, world.copy(), world.sellCall(agent, { side: 'no' }))).error?.code).toBe(
      'INSUFFICIENT_POSITION',
    );
  });

  it('of one position happens once, however many ask at the same time', async () => {
    const agent = await holder();
    const copies = [world.copy(), world.copy()];
    const ends = await Promise.all(
      Array.from({ length: 6 }, (_, i) => endOf(() => copies[i % 2]!.sell.execute(world.sellCall(agent)))),
    );
    expect(ends.filter(({ answer }) => answer)).toHaveLength(1);
    for (const { error } of ends.filter(({ answer }) => !answer)) {
      expect(error).toMatchObject({ code: 'INSUFFICIENT_POSITION', data: { requestedCount: 10, availableCount: 0 } });
    }
    await world.audit();
  });

  it('is rejected while the switch is off, and recorded in history', async () => {
    const agent = await holder();
    world.isSwitchedOn = false;
    const call = world.sellCall(agent);
    const { error } = await sellToTheEnd(world, world.copy(), call);
    expect(error).toMatchObject({ code: 'POLICY_VIOLATION', data: { rule: 'prediction_markets_disabled' } });
    expect(await world.published(call.operationId)).toHaveLength(1);
  });

  it.each<[string, () => void, string]>([
    ['a closed market', () => void (world.exchange.trading = { status: 'closed', paused: false }), 'MARKET_CLOSED'],
    ['a paused market', () => void (world.exchange.trading = { status: 'open', paused: true }), 'MARKET_PAUSED'],
    ['an exchange that rests', () => void (world.exchange.tradingActive = false), 'SERVICE_UNAVAILABLE'],
    ['an empty book', () => void (world.exchange.book = { yesBids: [], noBids: [] }), 'NO_LIQUIDITY'],
  ])('in %s is refused', async (_, script, code) => {
    const agent = await holder();
    script();
    expect((await sellToTheEnd(world, world.copy(), world.sellCall(agent))).error?.code).toBe(code);
  });

  it('that the treasury cannot pay is refused before anything moves', async () => {
    const agent = await holder();
    const { treasury } = world.wallet;
    world.wallet.treasury = 3_999_999n;
    const call = world.sellCall(agent);
    await expect(world.copy().sell.execute(call)).rejects.toMatchObject({ code: 'SERVICE_UNAVAILABLE' });
    world.wallet.treasury = treasury;
    await world.audit();
  });

  it('needs cash at the exchange only for what the account does not hold itself', async () => {
    const agent = await holder(10, 'yes');
    // All that anyone has netted away: the account holds no of what the agents have of yes.
    while (world.exchange.position >= 0n) await holder(500, 'no');
    const other = await holder(10, 'no');
    const { cash } = world.exchange;
    world.exchange.cash = 1_000_000n;
    const { sell } = world.copy();
    await expect(sell.execute(world.sellCall(agent))).rejects.toMatchObject({ code: 'SERVICE_UNAVAILABLE' });
    await expect(sell.execute(world.sellCall(other, { side: 'no' }))).resolves.toMatchObject({ isConfirmed: true });
    world.exchange.cash += cash - 1_000_000n;
    await world.audit();
  });
});

const ORDERS: Array<[OrderMood[], string]> = [
  [['lost-after'], 'ok'],
  [['lost-before'], 'ok'],
  [['late'], 'ok'],
  [['late', 'refused:MARKET_INACTIVE', 'refused:MARKET_INACTIVE'], 'ok'],
  [['unsent', 'lost-after'], 'ok'],
  [['lost-before', 'refused:TRADING_PAUSED', 'refused:MARKET_INACTIVE'], 'MARKET_CLOSED'],
  [['refused:MARKET_INACTIVE'], 'MARKET_CLOSED'],
  [['refused:TRADING_PAUSED'], 'MARKET_PAUSED'],
  [['refused:insufficient_balance'], 'SERVICE_UNAVAILABLE'],
  [['refused:something_else'], 'UPSTREAM_ERROR'],
  [['refused:immediate_or_cancel_insufficient_resting_volume'], 'cancelled'],
];

const PAYOUTS: Array<[CallMood[], 'wallet' | 'balance']> = [
  [['lost-after'], 'wallet'],
  [['lost-before'], 'wallet'],
  [['slow'], 'wallet'],
  [['lost-after', 'away', 'away'], 'wallet'],
  [['lost-before', 'away', 'away', 'lost-before'], 'wallet'],
  [['away', 'away'], 'wallet'],
  [['ends:TRANSACTION_EXPIRED', 'lost-before', 'ends:TRANSACTION_FAILED'], 'wallet'],
  [['ends:TRANSACTION_EXPIRED', 'ends:TRANSACTION_EXPIRED', 'ends:TRANSACTION_EXPIRED'], 'balance'],
  [['ends:POLICY_VIOLATION'], 'balance'],
];

describe('an order of a sale', () => {
  it.each(ORDERS)('with the sendings %j ends it as %s', async (moods, expected) => {
    const agent = await holder();
    world.exchange.moods.push(...moods);
    const { answer, error } = await sellToTheEnd(world, world.copy(), world.sellCall(agent));
    if (expected === 'ok') expect(answer).toMatchObject(END);
    else if (expected === 'cancelled') expect(answer).toMatchObject({ order: { status: 'cancelled', filled: 0n } });
    else expect(error?.code).toBe(expected);
  });
});

describe('the proceeds of a sale', () => {
  it.each(PAYOUTS)('with the calls %j come to the %s', async (moods, where) => {
    const agent = await holder();
    world.wallet.next('payout', ...moods);
    const call = world.sellCall(agent);
    const { answer } = await sellToTheEnd(world, world.copy(), call);
    expect(answer).toMatchObject({ ...END, isPaidToBalance: where === 'balance' });
    expect(world.wallet.landed(call.operationId, 3)).toHaveLength(where === 'wallet' ? 1 : 0);
    const { totalUsdMicros, feeUsdMicros } = answer!.order;
    expect(await owedTo(world, agent)).toBe(where === 'balance' ? totalUsdMicros - feeUsdMicros : 0n);
  });
});

describe('faults of every step of a sale together', () => {
  it.each(Array.from({ length: 10 }, (_, seed) => [seed]))(
    'leave one order and a correct ledger (%i)',
    async (seed) => {
      const side = seed % 2 === 0 ? 'yes' : 'no';
      const agent = await holder(30, side);
      world.exchange.moods.push(...ORDERS[(seed * 7) % ORDERS.length]![0]);
      world.wallet.next('payout', ...PAYOUTS[(seed * 4) % PAYOUTS.length]![0]);
      await sellToTheEnd(world, world.copy(), world.sellCall(agent, { side, count: 1 + seed }));
    },
  );
});

describe('a position that an agent has on both sides', () => {
  it('is sold side by side, regardless of the agent that the exchange nets it with', async () => {
    const agent = await holder(10, 'yes');
    await buyToTheEnd(world, world.copy(), world.buyCall(agent, { side: 'no', count: 20 }));
    for (const side of ['no', 'yes'] as const) {
      expect((await sellToTheEnd(world, world.copy(), world.sellCall(agent, { side }))).answer).toMatchObject(END);
    }
  });
});
