import { auditV1 } from '@agent-wallet/contracts';
import { errorEntry, idOf } from '@agent-wallet/kernel';
import { casesOf } from '@agent-wallet/testing';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import { buyToTheEnd, owedTo } from './saga-checks.js';
import { SagaWorld } from './saga-world.js';
import type { OrderMood, ReadMood } from './scripted-exchange.js';
import type { CallMood } from './scripted-wallet.js';

let world: SagaWorld;

beforeAll(async () => {
  world = await SagaWorld.open();
});

beforeEach(() => world.calm());

afterEach(() => world.stopCopies());

afterAll(() => world.close());

const {
  OPERATION_STATUS_PENDING: PENDING,
  OPERATION_STATUS_SUBMITTED: SUBMITTED,
  OPERATION_STATUS_FAILED: FAILED,
} = auditV1.OperationStatus;
const END = { isConfirmed: true, order: { status: 'filled', filled: 1_000n } };

const ESCROWS: Array<[CallMood[], string]> = [
  [['lost-after'], 'ok'],
  [['lost-before'], 'ok'],
  [['slow'], 'ok'],
  [['slow', 'lost-after', 'away'], 'ok'],
  [['lost-after', 'away'], 'ok'],
  [['lost-before', 'away'], 'ok'],
  [['lost-before', 'away', 'lost-before', 'away'], 'ok'],
  [['lost-before', 'lost-after'], 'ok'],
  [['away'], 'ok'],
  [['away', 'away', 'lost-after', 'away'], 'ok'],
  [['ends:POLICY_VIOLATION'], 'POLICY_VIOLATION'],
  [['lost-before', 'ends:POLICY_VIOLATION'], 'POLICY_VIOLATION'],
  [['away', 'ends:SERVICE_UNAVAILABLE'], 'SERVICE_UNAVAILABLE'],
  [['ends:TRANSACTION_EXPIRED'], 'TRANSACTION_EXPIRED'],
  [['ends:TRANSACTION_FAILED'], 'TRANSACTION_FAILED'],
  [['ends:UPSTREAM_ERROR'], 'UPSTREAM_ERROR'],
  [['ends:SERVICE_UNAVAILABLE'], 'SERVICE_UNAVAILABLE'],
];

describe('an escrow', () => {
  it.each(ESCROWS)('with the calls %j ends the buy as %s', async (moods, expected) => {
    world.wallet.next('escrow', ...moods);
    const call = world.buyCall(world.agent());
    const { answer, error } = await buyToTheEnd(world, world.copy(), call);
    if (expected === 'ok') expect(answer).toMatchObject(END);
    else expect(error?.code).toBe(expected);
    expect(world.wallet.landed(call.operationId, 1)).toHaveLength(expected === 'ok' ? 1 : 0);
  });

  it.each(['lost-before', 'away'] as const)('that is %s for long never begins, and nothing moves', async (mood) => {
    world.wallet.next('escrow', ...Array.from({ length: 400 }, () => mood));
    setTimeout(() => world.wallet.moods.splice(0), 1_700);
    const call = world.buyCall(world.agent());
    const { error } = await buyToTheEnd(world, world.copy(), call);
    expect(error).toMatchObject({ code: 'SERVICE_UNAVAILABLE', data: {} });
    expect(world.wallet.landed(call.operationId, 1)).toHaveLength(0);
  });

  it('that is under way for long is not taken for one that never began', async () => {
    world.wallet.next('escrow', 'lost-after', ...Array.from({ length: 400 }, () => 'away' as const));
    setTimeout(() => world.wallet.moods.splice(0), 1_700);
    const call = world.buyCall(world.agent());
    expect((await buyToTheEnd(world, world.copy(), call)).answer).toMatchObject(END);
    expect([...world.wallet.attempts.keys()].filter((key) => key.startsWith(call.operationId))).toEqual([
      `${call.operationId}:1:1`,
      `${call.operationId}:3:1`,
    ]);
  });

  /** The wallet service carries it out, and says so only when its order is no longer fresh. */
  function findLate(): void {
    world.freshMs = 1_600;
    world.wallet.next('escrow', 'lost-after', ...Array.from({ length: 400 }, () => 'away' as const));
    const before = world.wallet.attempts.size;
    let carriedOutAtMs: number | undefined;
    // From then on, and not from here: a busy machine begins later.
    const timer = setInterval(() => {
      if (world.wallet.attempts.size > before) carriedOutAtMs ??= performance.now();
      if (carriedOutAtMs === undefined || performance.now() - carriedOutAtMs < 1_700) return;
      world.wallet.moods.splice(0);
      clearInterval(timer);
    }, 20);
  }

  it('that is found too late is followed by the order that a life sent which a restore has undone', async () => {
    findLate();
    const call = world.buyCall(world.agent());
    const clientOrderId = idOf('order', call.operationId, 1);
    const order = { ticker: 'M-1', exchangeIndex: 0, side: 'bid', count: 1_000n, priceUsdMicros: 990_000n } as const;
    const turn = { agentId: call.agentId, operationId: call.operationId, signal: AbortSignal.timeout(1_000) };
    await world.exchange.placeOrder({ ...order, clientOrderId }, turn);
    expect((await buyToTheEnd(world, world.copy(), call)).answer).toMatchObject(END);
    expect(world.exchange.sendings.get(clientOrderId)).toBe(1);
  });

  it('that is found too late sends no order, and everything comes back', async () => {
    findLate();
    const sent = world.exchange.sendings.size;
    const agent = world.agent();
    const call = world.buyCall(agent);
    const { error } = await buyToTheEnd(world, world.copy(), call);
    const data = { signature: expect.stringMatching(/./), refundSignature: expect.stringMatching(/./) };
    expect(error).toMatchObject({ code: 'SERVICE_UNAVAILABLE', data });
    expect(world.exchange.sendings.size).toBe(sent);
    expect(world.wallet.fundsOf(agent)).toBe(1_000_000_000n);
    expect((await world.published(call.operationId)).map(({ status }) => status)).toEqual([PENDING, SUBMITTED, FAILED]);
  });

  it('that is refused ends the buy with the refusal, and nothing else of the wallet service', async () => {
    world.wallet.next('escrow', 'ends:POLICY_VIOLATION');
    const { error } = await buyToTheEnd(world, world.copy(), world.buyCall(world.agent()));
    expect(error?.data).toEqual({});
  });
});

const ORDERS: Array<[OrderMood[], string]> = [
  [['lost-after'], 'ok'],
  [['lost-before'], 'ok'],
  [['late'], 'ok'],
  [['late', 'refused:MARKET_INACTIVE', 'refused:MARKET_INACTIVE'], 'ok'],
  [['unsent'], 'ok'],
  [['unsent', 'unsent', 'lost-after'], 'ok'],
  [['lost-before', 'lost-before', 'lost-after'], 'ok'],
  [['lost-before', 'unsent', 'lost-before'], 'ok'],
  [['lost-before', 'refused:TRADING_PAUSED', 'lost-before'], 'ok'],
  [['lost-before', 'refused:TRADING_PAUSED'], 'ok'],
  [['lost-before', 'refused:TRADING_PAUSED', 'refused:MARKET_INACTIVE'], 'MARKET_CLOSED'],
  [['refused:MARKET_INACTIVE'], 'MARKET_CLOSED'],
  [['refused:TRADING_PAUSED'], 'MARKET_PAUSED'],
  [['refused:EXCHANGE_PAUSED'], 'MARKET_PAUSED'],
  [['refused:insufficient_balance'], 'SERVICE_UNAVAILABLE'],
  [['refused:invalid_price'], 'NO_LIQUIDITY'],
  [['refused:something_else'], 'UPSTREAM_ERROR'],
  [['refused:immediate_or_cancel_insufficient_resting_volume'], 'cancelled'],
];

describe('an order', () => {
  it.each(ORDERS)('with the sendings %j ends the buy as %s', async (moods, expected) => {
    world.exchange.moods.push(...moods);
    const call = world.buyCall(world.agent());
    const { answer, error } = await buyToTheEnd(world, world.copy(), call);
    if (expected === 'ok') expect(answer).toMatchObject(END);
    else if (expected === 'cancelled') expect(answer).toMatchObject({ order: { status: 'cancelled', filled: 0n } });
    else {
      expect(error?.code).toBe(expected);
      const market = errorEntry(error!.code).http < 500 ? { ticker: 'M-1', side: 'yes' } : {};
      const returned = { signature: expect.any(String), refundSignature: expect.stringMatching(/./) };
      expect(error?.data).toEqual({ ...market, ...returned });
    }
  });

  it('whose turn never comes is abandoned, and everything comes back', async () => {
    world.exchange.moods.push(...Array.from({ length: 2_000 }, () => 'unsent' as const));
    const call = world.buyCall(world.agent());
    expect((await buyToTheEnd(world, world.copy(), call)).error?.code).toBe('SERVICE_UNAVAILABLE');
  });

  it('that the exchange shows late is not sent twice, and waited for', async () => {
    Object.assign(world.exchange, { lagMs: 400 });
    world.exchange.moods.push('lost-after');
    const call = world.buyCall(world.agent());
    expect((await buyToTheEnd(world, world.copy(), call)).answer).toMatchObject(END);
    expect([...world.exchange.sendings.values()].every((times) => times >= 1)).toBe(true);
  });

  it.each(['misnamed', 'overstated'] as const)(
    'whose answer was %s is posted as the exchange shows it',
    async (mood) => {
      world.exchange.moods.push(mood);
      const { answer } = await buyToTheEnd(world, world.copy(), world.buyCall(world.agent()));
      expect(answer).toMatchObject({ isConfirmed: true, order: { orderId: expect.not.stringContaining('another') } });
      await world.audit();
    },
  );

  it('that the exchange has and does not show is never taken for none', async () => {
    const agent = world.agent();
    const call = world.buyCall(agent);
    world.exchange.moods.push('lost-after');
    world.exchange.lagMs = 1_000_000;
    const answer = await world.copy().buy.execute({ ...call, waitMs: 1_500 });
    expect(answer).toMatchObject({ isConfirmed: false, order: { status: undefined } });
    expect(world.wallet.landed(call.operationId, 3)).toHaveLength(0);
    world.exchange.lagMs = 0;
    const end = await world.copy().buy.execute(call);
    expect(end).toMatchObject(END);
    expect(world.wallet.fundsOf(agent)).toBe(1_000_000_000n - end.order.totalUsdMicros - end.order.feeUsdMicros);
    await world.audit();
  });

  it.each<[ReadMood[]]>([[['fails']], [['fails', 'fails', 'fails']]])(
    'is posted although reads are %j',
    async (reads) => {
      world.exchange.onEffect = async (what) => void (what === 'order' && world.exchange.reads.push(...reads));
      expect((await buyToTheEnd(world, world.copy(), world.buyCall(world.agent()))).answer).toMatchObject(END);
    },
  );
});

const REFUNDS: Array<[CallMood[], 'wallet' | 'balance']> = [
  [['lost-after'], 'wallet'],
  [['lost-before'], 'wallet'],
  [['slow'], 'wallet'],
  [['away'], 'wallet'],
  [['lost-after', 'away'], 'wallet'],
  [['lost-after', 'away', 'away'], 'wallet'],
  [['lost-before', 'away'], 'wallet'],
  [['lost-before', 'away', 'away', 'lost-before'], 'wallet'],
  [['lost-before', 'away', 'ends:TRANSACTION_EXPIRED', 'lost-after'], 'wallet'],
  [['ends:TRANSACTION_EXPIRED'], 'wallet'],
  [['ends:TRANSACTION_EXPIRED', 'lost-before', 'ends:TRANSACTION_FAILED'], 'wallet'],
  [['ends:TRANSACTION_EXPIRED', 'ends:TRANSACTION_EXPIRED', 'ends:TRANSACTION_EXPIRED'], 'balance'],
  [['ends:SERVICE_UNAVAILABLE', 'ends:SERVICE_UNAVAILABLE', 'ends:SERVICE_UNAVAILABLE'], 'balance'],
  [['ends:POLICY_VIOLATION'], 'balance'],
  [['lost-before', 'ends:POLICY_VIOLATION'], 'balance'],
];

describe('a refund', () => {
  it.each(REFUNDS)('with the calls %j comes to the %s', async (moods, where) => {
    world.wallet.next('payout', ...moods);
    const agent = world.agent();
    const call = world.buyCall(agent);
    const { answer } = await buyToTheEnd(world, world.copy(), call);
    expect(answer).toMatchObject({ ...END, isRefundedToBalance: where === 'balance' });
    expect(await owedTo(world, agent)).toBe(where === 'balance' ? answer!.refundedUsdMicros : 0n);
    expect(world.wallet.landed(call.operationId, 3)).toHaveLength(where === 'wallet' ? 1 : 0);
  });

  it('of a refused order that cannot be sent is reported with the refusal', async () => {
    world.exchange.moods.push('refused:MARKET_INACTIVE');
    world.wallet.next('payout', 'ends:POLICY_VIOLATION');
    const { error } = await buyToTheEnd(world, world.copy(), world.buyCall(world.agent()));
    expect(error?.code).toBe('MARKET_CLOSED');
    expect(error?.data).toEqual({ ticker: 'M-1', side: 'yes', signature: expect.stringMatching(/./) });
  });
});

const SEEDS = Array.from({ length: 24 }, (_, seed) => seed);

describe('faults of every step together', () => {
  // Each of the faults is tested by itself above.
  it.each(casesOf(SEEDS, { gate: [1, 5, 9, 14, 18, 23] }))(
    'leave one order and a correct ledger (%i)',
    async (seed) => {
      // Steps through all combinations in an order that mixes them.
      const at = <T>(list: readonly T[], stride: number): T => list[(seed * stride) % list.length]!;
      const escrows = ESCROWS.filter(([, end]) => end === 'ok');
      world.wallet.next('escrow', ...at(escrows, 3)[0]);
      world.exchange.moods.push(...at(ORDERS, 7)[0]);
      world.wallet.next('payout', ...at(REFUNDS, 11)[0]);
      const side = seed % 2 === 0 ? 'yes' : 'no';
      await buyToTheEnd(world, world.copy(), world.buyCall(world.agent(), { side, count: 1 + seed }));
    },
  );
});
