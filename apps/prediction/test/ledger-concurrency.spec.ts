import { newId } from '@agent-wallet/kernel';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { bought, type LedgerUnderTest, faultsOf, fillOf, openLedger, operationOf, terms } from './ledger-support.js';

let test: LedgerUnderTest;
beforeAll(async () => {
  test = await openLedger();
});
afterAll(async () => {
  expect(await faultsOf(test)).toEqual([]);
  await test.close();
});

let tickers = 0;
const newTicker = () => `MARKET-${(tickers += 1)}`;

const buy = (agentId: string, ticker: string, count: bigint, side: 'yes' | 'no') =>
  bought(test, agentId, { ticker, side, count });

describe('both sides of a market, held by different agents', () => {
  it('are netted: the exchange pays a dollar a pair, and it is owed', async () => {
    const ticker = newTicker();
    const cash = await test.total('exchange_cash');
    const pairs = await test.total('netted_pairs');
    const [alice, bob] = [newId(), newId()];
    await buy(alice, ticker, 1_000n, 'yes');
    await buy(bob, ticker, 400n, 'no');
    expect((await test.total('netted_pairs')) - pairs).toBe(-4_000_000n);
    expect((await test.total('exchange_cash')) - cash).toBe(-5_000_000n - 2_000_000n + 4_000_000n);
    // Of ten sold, the account holds six on balance: four are bought of the other side, and no pair is left.
    const operation = operationOf(alice);
    const order = terms(ticker, 'yes', 'sell');
    await test.write(async (tx) => {
      await test.ledger.lockPosition(tx, operation, { ticker, side: 'yes', count: 1_000n });
      const fill = fillOf(order, { count: 1_000n, priceUsdMicros: 600_000n });
      await test.ledger.postFills(tx, operation, order, [fill]);
    });
    expect((await test.total('netted_pairs')) - pairs).toBe(0n);
    expect((await test.total('exchange_cash')) - cash).toBe(-3_000_000n - 4_000_000n + 6_000_000n);
  });
});

describe('many at once', () => {
  it('buy both sides of a market: every pair is netted', async () => {
    const ticker = newTicker();
    const cash = await test.total('exchange_cash');
    const pairs = await test.total('netted_pairs');
    await Promise.all(
      Array.from({ length: 20 }, (_, i) => buy(newId(), ticker, 100n * BigInt(1 + i), i % 3 === 0 ? 'no' : 'yes')),
    );
    // Nos of 1, 4, 7, 10, 13, 16 and 19 contracts against yeses of 140.
    expect((await test.total('netted_pairs')) - pairs).toBe(-70_000_000n);
    expect((await test.total('exchange_cash')) - cash).toBe(70_000_000n - 105_000_000n);
  });

  it('of one agent, in three markets: no deadlock, and nothing is sold twice', async () => {
    const agentId = newId();
    const markets = Array.from({ length: 3 }, newTicker);
    await Promise.all(markets.map((ticker) => buy(agentId, ticker, 1_000n, 'yes')));
    const sell = async (ticker: string) => {
      const operation = operationOf(agentId);
      const order = terms(ticker, 'yes', 'sell');
      await test.write((tx) => test.ledger.lockPosition(tx, operation, { ticker, side: 'yes', count: 300n }));
      await test.write(async (tx) => {
        const fills = [1, 2].map(() => fillOf(order, { count: 100n, priceUsdMicros: 600_000n }));
        await test.ledger.postFills(tx, operation, order, fills);
        await test.ledger.unlockPosition(tx, operation);
        await test.ledger.startPayout(tx, operation, 3, 1_200_000n);
      });
      await test.write((tx) => test.ledger.payoutConfirmed(tx, operation, 3));
    };
    const work = markets.flatMap((ticker) => [
      ...Array.from({ length: 6 }, () => sell(ticker)),
      ...Array.from({ length: 3 }, () => buy(agentId, ticker, 100n, 'no')),
    ]);
    const failures = (await Promise.allSettled(work)).filter(({ status }) => status === 'rejected');
    for (const failure of failures) expect(failure).toMatchObject({ reason: { code: 'INSUFFICIENT_POSITION' } });
    const { positions } = await test.ledger.positionsOf(agentId, false);
    const left = positions.filter(({ side }) => side === 'yes').reduce((sum, { quantity }) => sum + quantity, 0n);
    expect(left).toBe(3_000n - 200n * BigInt(18 - failures.length));
    expect(await test.ledger.balanceOf(agentId)).toEqual({ availableUsdMicros: 0n, reservedUsdMicros: 0n });
  });
});
