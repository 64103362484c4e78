import { newId } from '@agent-wallet/kernel';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import {
  bought,
  type LedgerUnderTest,
  faultsOf,
  fillOf,
  openLedger,
  operationOf,
  orderRecord,
  terms,
} from './ledger-support.js';
import type { Queryable } from '@agent-wallet/platform';

let test: LedgerUnderTest;
beforeAll(async () => {
  test = await openLedger();
});
afterAll(async () => {
  expect(await faultsOf(test)).toEqual([]);
  await test.close();
});

/** Does it twice, as after a crash. */
async function twice<Result>(work: (tx: Queryable) => Promise<Result>): Promise<Result> {
  await test.write(work);
  return test.write(work);
}

let tickers = 0;
const newTicker = () => `MARKET-${(tickers += 1)}`;

const buy = (agentId: string, ticker: string, count: bigint) => bought(test, agentId, { ticker, side: 'yes', count });

/** An agent with that much prediction balance. */
async function credit(agentId: string, amountUsdMicros: bigint): Promise<void> {
  const operation = operationOf(agentId);
  await test.write(async (tx) => {
    await test.ledger.escrow(tx, operation, amountUsdMicros);
    await test.ledger.startRefund(tx, operation, 3, amountUsdMicros);
    await test.ledger.payoutExpired(tx, operation, 3);
  });
}

describe('a purchase', () => {
  it('takes its escrow once, pays its fills from it once, and gives the rest back once', async () => {
    const operation = operationOf(newId());
    const order = terms(newTicker(), 'yes', 'buy');
    await twice((tx) => test.ledger.escrow(tx, operation, 6_000_000n));
    expect(await test.ledger.heldFor(operation.operationId)).toMatchObject({ escrowUsdMicros: 6_000_000n });
    const first = fillOf(order, { count: 400n, priceUsdMicros: 550_000n, feeUsdMicros: 69_300n });
    const second = fillOf(order, { count: 250n, priceUsdMicros: 560_000n, feeUsdMicros: 43_200n });
    await test.write((tx) => test.ledger.postFills(tx, operation, order, [first]));
    const filled = await twice((tx) => test.ledger.postFills(tx, operation, order, [second, first, second]));
    expect(filled).toEqual({
      count: 650n,
      totalUsdMicros: 3_600_000n,
      feeUsdMicros: 112_500n,
      lastAtMs: first.atMs,
    });
    await twice((tx) => test.ledger.startRefund(tx, operation, 3, 2_287_500n));
    expect(await test.ledger.heldFor(operation.operationId)).toEqual({
      escrowUsdMicros: 0n,
      pendingUsdMicros: 2_287_500n,
      lockedCount: 0n,
    });
    await twice((tx) => test.ledger.payoutConfirmed(tx, operation, 3));
    expect(await test.ledger.heldFor(operation.operationId)).toMatchObject({ pendingUsdMicros: 0n });
    expect(await test.ledger.positionsOf(operation.agentId, undefined)).toMatchObject({
      positions: [{ side: 'yes', quantity: 650n, lockedCount: 0n, costUsdMicros: 3_600_000n, settlement: undefined }],
      openCount: 1,
      settledCount: 0,
    });
  });

  it('costs the agent at most its escrow, regardless of the exchange’s charge', async () => {
    const operation = operationOf(newId());
    const order = terms(newTicker(), 'no', 'buy');
    const costs = await test.total('exchange_costs');
    const filled = await test.write(async (tx) => {
      await test.ledger.escrow(tx, operation, 500_000n);
      const fill = fillOf(order, { count: 100n, priceUsdMicros: 495_000n, feeUsdMicros: 17_500n });
      return test.ledger.postFills(tx, operation, order, [fill]);
    });
    expect(filled).toMatchObject({ totalUsdMicros: 495_000n, feeUsdMicros: 5_000n });
    expect((await test.total('exchange_costs')) - costs).toBe(12_500n);
  });

  it('whose fee gives back more than it costs is posted: the difference is the operator’s', async () => {
    const operation = operationOf(newId());
    const order = terms(newTicker(), 'yes', 'buy');
    const [costs, cash] = [await test.total('exchange_costs'), await test.total('exchange_cash')];
    const filled = await test.write(async (tx) => {
      await test.ledger.escrow(tx, operation, 500_000n);
      const fill = fillOf(order, { count: 1n, priceUsdMicros: 500_000n, feeUsdMicros: -10_000n });
      return test.ledger.postFills(tx, operation, order, [fill]);
    });
    expect(filled).toMatchObject({ totalUsdMicros: 5_000n, feeUsdMicros: 0n });
    expect((await test.total('exchange_costs')) - costs).toBe(-10_000n);
    expect((await test.total('exchange_cash')) - cash).toBe(5_000n);
  });

  it('that could not be refunded is prediction balance, and not also paid', async () => {
    const operation = operationOf(newId());
    await test.write(async (tx) => {
      await test.ledger.escrow(tx, operation, 1_130_000n);
      await test.ledger.startRefund(tx, operation, 3, 1_130_000n);
    });
    expect(await test.ledger.balanceOf(operation.agentId)).toEqual({
      availableUsdMicros: 0n,
      reservedUsdMicros: 1_130_000n,
    });
    await twice((tx) => test.ledger.payoutExpired(tx, operation, 3));
    expect(await test.ledger.balanceOf(operation.agentId)).toEqual({
      availableUsdMicros: 1_130_000n,
      reservedUsdMicros: 0n,
    });
    await expect(test.write((tx) => test.ledger.payoutConfirmed(tx, operation, 3))).rejects.toThrow(
      'is posted as end:',
    );
  });

  it('refunds no more than its own escrow', async () => {
    const agentId = newId();
    const [mine, other] = [operationOf(agentId), operationOf(agentId)];
    await test.write((tx) => test.ledger.escrow(tx, mine, 1_000_000n));
    await test.write((tx) => test.ledger.escrow(tx, other, 1_000_000n));
    const refund = (amount: bigint) => test.write((tx) => test.ledger.startRefund(tx, mine, 3, amount));
    await expect(refund(1_000_001n)).rejects.toThrow('accounts_never_overdrawn');
    await refund(1_000_000n);
  });
});

describe('a repeat that says something else', () => {
  it('is refused', async () => {
    const operation = operationOf(newId());
    const order = terms(newTicker(), 'yes', 'buy');
    await test.write((tx) => test.ledger.escrow(tx, operation, 1_000_000n));
    await expect(test.write((tx) => test.ledger.escrow(tx, operation, 1_000_001n))).rejects.toThrow('something else');
    const fill = fillOf(order, { count: 100n, priceUsdMicros: 500_000n });
    await test.write((tx) => test.ledger.postFills(tx, operation, order, [fill]));
    const another = operationOf(operation.agentId);
    await expect(test.write((tx) => test.ledger.postFills(tx, another, order, [fill]))).rejects.toThrow(
      'posted for another operation',
    );
  });

  it.each([
    ['of another market', { ticker: 'OTHER' }],
    ['of the other side', { side: 'no' as const }],
    ['whose prices make no dollar', { noPriceUsdMicros: 500_001n }],
    ['of nothing', { count: 0n }],
  ])('is a fill %s: nothing is posted', async (_, lie) => {
    const operation = operationOf(newId());
    const order = terms(newTicker(), 'yes', 'buy');
    await test.write((tx) => test.ledger.escrow(tx, operation, 1_000_000n));
    const fill = { ...fillOf(order, { count: 100n, priceUsdMicros: 500_000n }), ...lie };
    await expect(test.write((tx) => test.ledger.postFills(tx, operation, order, [fill]))).rejects.toThrow('belong');
  });
});

describe('a sale', () => {
  it('takes locked contracts, credits what they brought, and gives the rest back', async () => {
    const agentId = newId();
    const ticker = newTicker();
    await buy(agentId, ticker, 1_000n);
    const operation = operationOf(agentId);
    const order = terms(ticker, 'yes', 'sell');
    await twice((tx) => test.ledger.lockPosition(tx, operation, { ticker, side: 'yes', count: 600n }));
    expect(await test.ledger.freeContractsOf(agentId, ticker, 'yes')).toBe(400n);
    const fill = fillOf(order, { count: 200n, priceUsdMicros: 700_000n, feeUsdMicros: 29_400n });
    const filled = await twice((tx) => test.ledger.postFills(tx, operation, order, [fill]));
    expect(filled).toMatchObject({ count: 200n, totalUsdMicros: 1_400_000n, feeUsdMicros: 29_400n });
    expect(await test.ledger.positionsOf(agentId, false)).toMatchObject({
      positions: [{ quantity: 800n, lockedCount: 400n, costUsdMicros: 4_000_000n }],
    });
    await twice((tx) => test.ledger.unlockPosition(tx, operation));
    await twice((tx) => test.ledger.startPayout(tx, operation, 3, 1_370_600n));
    await twice((tx) => test.ledger.payoutConfirmed(tx, operation, 3));
    expect(await test.ledger.balanceOf(agentId)).toEqual({ availableUsdMicros: 0n, reservedUsdMicros: 0n });
    expect(await test.ledger.freeContractsOf(agentId, ticker, 'yes')).toBe(800n);
  });

  it('of a fraction that brings less than its fee costs the agent nothing', async () => {
    const agentId = newId();
    const ticker = newTicker();
    await buy(agentId, ticker, 100n);
    const operation = operationOf(agentId);
    const order = terms(ticker, 'yes', 'sell');
    const filled = await test.write(async (tx) => {
      await test.ledger.lockPosition(tx, operation, { ticker, side: 'yes', count: 1n });
      const fill = fillOf(order, { count: 1n, priceUsdMicros: 500_000n, feeUsdMicros: 10_000n });
      return test.ledger.postFills(tx, operation, order, [fill]);
    });
    expect(filled).toMatchObject({ totalUsdMicros: 5_000n, feeUsdMicros: 5_000n });
    expect(await test.ledger.balanceOf(agentId)).toMatchObject({ availableUsdMicros: 0n });
  });

  it('never sells more than is locked for it', async () => {
    const agentId = newId();
    const ticker = newTicker();
    await buy(agentId, ticker, 1_000n);
    const operation = operationOf(agentId);
    const order = terms(ticker, 'yes', 'sell');
    await test.write((tx) => test.ledger.lockPosition(tx, operation, { ticker, side: 'yes', count: 100n }));
    const fill = fillOf(order, { count: 101n, priceUsdMicros: 500_000n });
    await expect(test.write((tx) => test.ledger.postFills(tx, operation, order, [fill]))).rejects.toThrow(
      'accounts_never_overdrawn',
    );
  });

  it('of one position, twice at once, sells it once', async () => {
    const agentId = newId();
    const ticker = newTicker();
    await buy(agentId, ticker, 1_000n);
    const lock = () =>
      test.write((tx) => test.ledger.lockPosition(tx, operationOf(agentId), { ticker, side: 'yes', count: 600n }));
    const results = await Promise.allSettled([lock(), lock()]);
    expect(results.map(({ status }) => status).sort()).toEqual(['fulfilled', 'rejected']);
    expect(results.find(({ status }) => status === 'rejected')).toMatchObject({
      reason: { code: 'INSUFFICIENT_POSITION' },
    });
  });
});

describe('a withdrawal', () => {
  it('pays exactly what was asked for', async () => {
    const agentId = newId();
    await credit(agentId, 2_000_000n);
    const operation = operationOf(agentId);
    const treasury = await test.total('treasury_usdc');
    await twice((tx) => test.ledger.startPayout(tx, operation, 1, 1_130_000n));
    await twice((tx) => test.ledger.payoutConfirmed(tx, operation, 1));
    expect(await test.ledger.balanceOf(agentId)).toEqual({ availableUsdMicros: 870_000n, reservedUsdMicros: 0n });
    expect((await test.total('treasury_usdc')) - treasury).toBe(-1_130_000n);
  });

  it('twenty at once never pay more than the balance', async () => {
    const agentId = newId();
    await credit(agentId, 7_900_000n);
    const withdraw = () => test.write((tx) => test.ledger.startPayout(tx, operationOf(agentId), 1, 1_000_000n));
    const results = await Promise.allSettled(Array.from({ length: 20 }, withdraw));
    expect(results.filter(({ status }) => status === 'fulfilled')).toHaveLength(7);
    for (const result of results)
      if (result.status === 'rejected') expect(result.reason).toMatchObject({ code: 'INSUFFICIENT_FUNDS' });
    expect(await test.ledger.balanceOf(agentId)).toEqual({
      availableUsdMicros: 900_000n,
      reservedUsdMicros: 7_000_000n,
    });
  });

  it('that was never begun cannot end', async () => {
    const operation = operationOf(newId());
    for (const end of ['payoutConfirmed', 'payoutExpired'] as const)
      await expect(test.write((tx) => test.ledger[end](tx, operation, 1))).rejects.toThrow('no payout was begun');
  });
});

describe('orders', () => {
  it('are listed the latest first, page by page, once the exchange knows them', async () => {
    const agentId = newId();
    const order = terms(newTicker(), 'yes', 'buy');
    const ids: string[] = [];
    for (let at = 1; at <= 5; at += 1) {
      const record = orderRecord(order, { createdAtMs: at, ticker: at === 3 ? 'ELSEWHERE' : order.ticker });
      ids.unshift(record.orderId);
      await test.write((tx) => test.ledger.recordOrder(tx, operationOf(agentId), record));
    }
    await test.write((tx) => test.ledger.recordOrder(tx, operationOf(agentId), orderRecord(order, { orderId: '' })));
    const seen: string[] = [];
    let cursor = '';
    do {
      const page = await test.ledger.ordersOf(agentId, { ticker: undefined, limit: 2, cursor });
      seen.push(...page.orders.map(({ orderId }) => orderId));
      cursor = page.cursor;
    } while (cursor !== '');
    expect(seen).toEqual(ids);
    const there = await test.ledger.ordersOf(agentId, { ticker: 'ELSEWHERE', limit: 100, cursor: '' });
    expect(there.orders).toHaveLength(1);
    const query = { ticker: undefined, limit: 1, cursor: 'nonsense' };
    await expect(test.ledger.ordersOf(agentId, query)).rejects.toMatchObject({ code: 'VALIDATION_ERROR' });
  });

  it('have one row for each operation, which grows', async () => {
    const operation = operationOf(newId());
    const record = orderRecord(terms(newTicker(), 'no', 'sell'));
    await twice((tx) => test.ledger.recordOrder(tx, operation, { ...record, orderId: '' }));
    const end = { ...record, filled: 60n, totalUsdMicros: 30n, status: 'partially_filled', filledAtMs: 7 } as const;
    await twice((tx) => test.ledger.recordOrder(tx, operation, end));
    const { orders } = await test.ledger.ordersOf(operation.agentId, { ticker: undefined, limit: 9, cursor: '' });
    expect(orders).toEqual([{ ...end, operationId: operation.operationId }]);
  });
});
