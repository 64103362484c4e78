import { auditV1 } from '@agent-wallet/contracts';
import { newId } from '@agent-wallet/kernel';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import { keepersOf, LedgerSources } from './ledger-sources.js';
import {
  type LedgerUnderTest,
  faultsOf,
  fillOf,
  openLedger,
  operationOf,
  orderRecord,
  terms,
} from './ledger-support.js';

let test: LedgerUnderTest;
let outside: LedgerSources;
let keepers: ReturnType<typeof keepersOf>;
let ticker: string;
let count = 0;
beforeAll(async () => {
  test = await openLedger();
});
afterAll(async () => {
  expect(await faultsOf(test)).toEqual([]);
  await test.close();
});
beforeEach(() => {
  ticker = `MARKET-${(count += 1)}`;
  outside = new LedgerSources();
  outside.market(ticker);
  keepers = keepersOf(test, outside);
});

/** An agent that has bought that many contracts at 40 cents. */
async function holder(side: 'yes' | 'no', contracts: bigint, agentId = newId()): Promise<string> {
  const operation = operationOf(agentId);
  const order = terms(ticker, side, 'buy');
  const fill = fillOf(order, { count: contracts, priceUsdMicros: 400_000n });
  await test.write(async (tx) => {
    await test.ledger.escrow(tx, operation, contracts * 4_000n);
    await test.ledger.postFills(tx, operation, order, [fill]);
    const status = { status: 'filled', count: contracts, filled: contracts } as const;
    await test.ledger.recordOrder(tx, operation, orderRecord(order, status));
  });
  return agentId;
}

const available = async (agentId: string) => (await test.ledger.balanceOf(agentId)).availableUsdMicros;

async function publishedTo(agentId: string): Promise<auditV1.OperationChanged[]> {
  const events = await test.rows<{ payload: Buffer }>('select payload from outbox where agent_id = $1', agentId);
  return events.flatMap(({ payload }) => {
    const { fact } = auditV1.AuditEvent.decode(payload);
    return fact?.$case === 'operationChanged' ? [fact.value] : [];
  });
}

describe('a settled market', () => {
  it('pays both sides, held by different agents, once, and tells each', async () => {
    const [right, wrong] = [await holder('yes', 1_000n), await holder('no', 300n)];
    outside.settle(ticker, 'yes', 7_000_000n);
    outside.paid.push(...outside.paid);
    await keepers.settling.round();
    await keepers.settling.round();
    expect([await available(right), await available(wrong)]).toEqual([10_000_000n, 0n]);
    expect(await test.total('netted_pairs')).toBe(0n);
    expect(await test.ledger.positionsOf(right, true)).toMatchObject({
      positions: [
        {
          ...{ ticker, eventTicker: `${ticker}-EVENT`, side: 'yes', quantity: 1_000n, costUsdMicros: 4_000_000n },
          settlement: { result: 'won', payoutUsdMicros: 10_000_000n },
        },
      ],
      openCount: 0,
      settledCount: 1,
    });
    expect(await test.ledger.positionsOf(wrong, undefined)).toMatchObject({
      positions: [{ settlement: { result: 'lost', payoutUsdMicros: 0n } }],
    });
    const [published, ...again] = await publishedTo(right);
    expect(again).toEqual([]);
    expect(published).toMatchObject({
      action: 'prediction_settlement',
      amount: 10_000_000n,
      status: auditV1.OperationStatus.OPERATION_STATUS_CONFIRMED,
    });
    expect((await publishedTo(wrong)).map(({ operationId }) => operationId)).not.toContain(published?.operationId);
  });

  it('pays an agent that holds both sides for each, in one event', async () => {
    const agentId = await holder('yes', 500n);
    await holder('no', 200n, agentId);
    outside.settle(ticker, 'no', 0n);
    await keepers.settling.round();
    expect(await available(agentId)).toBe(2_000_000n);
    expect(await publishedTo(agentId)).toHaveLength(1);
  });

  it('pays what a contract is worth when the result lies in between, and posts the fractions', async () => {
    const [high, low] = [await holder('yes', 333n), await holder('no', 100n)];
    // 2.33 contracts on balance are worth 0.77805…: the exchange pays whole cents.
    outside.settle(ticker, 'scalar', 780_000n, 333_933n);
    const rounding = await test.total('rounding');
    await keepers.settling.round();
    expect([await available(high), await available(low)]).toEqual([1_111_996n, 666_067n]);
    expect((await test.total('rounding')) - rounding).toBe(1_111_996n + 666_067n - 1_000_000n - 780_000n);
    expect((await test.ledger.positionsOf(low, true)).positions[0]?.settlement?.result).toBe('scalar');
  });

  it.each<[string, () => void]>([
    ['a result and a value that do not go together', () => outside.settle(ticker, 'yes', 1_000_000n, 0n)],
    [
      'one result of the market and another of what it paid',
      () => {
        outside.settle(ticker, 'yes', 1_000_000n);
        outside.paid = outside.paid.map((row) => ({ ...row, result: 'no' }));
      },
    ],
    [
      'an unknown result of a market that it called off',
      () => {
        outside.settle(ticker, undefined, 1_000_000n, 1_000_000n);
        outside.paid = outside.paid.map((row) => ({ ...row, result: undefined }));
      },
    ],
  ])('waits while the exchange says %s', async (_, lie) => {
    const agentId = await holder('yes', 100n);
    lie();
    await keepers.settling.round();
    expect([await available(agentId), await publishedTo(agentId)]).toEqual([0n, []]);
    outside.paid = [];
    outside.settle(ticker, 'yes', 1_000_000n);
    await keepers.settling.round();
    expect(await available(agentId)).toBe(1_000_000n);
  });

  it('is charged nothing: what the exchange says of fees was paid with the fills', async () => {
    const agentId = await holder('yes', 100n);
    const [cash, costs] = [await test.total('exchange_cash'), await test.total('exchange_costs')];
    outside.tradingFees = 40_000n;
    outside.settle(ticker, 'yes', 1_000_000n);
    await keepers.settling.round();
    expect(await available(agentId)).toBe(1_000_000n);
    expect((await test.total('exchange_cash')) - cash).toBe(1_000_000n);
    expect(await test.total('exchange_costs')).toBe(costs);
  });

  it('is paid while another one with an unknown result waits', async () => {
    const [strange, known] = [ticker, `${ticker}-B`];
    const waiting = await holder('yes', 100n);
    outside.settle(strange, 'yes', 1_000_000n);
    outside.paid = outside.paid.map((row) => ({ ...row, result: undefined }));
    ticker = known;
    const paid = await holder('yes', 100n);
    outside.settle(known, 'yes', 1_000_000n);
    await keepers.settling.round();
    expect([await available(waiting), await available(paid)]).toEqual([0n, 1_000_000n]);
    outside.paid = outside.paid.map((row) => ({ ...row, result: 'yes' }));
    await keepers.settling.round();
    expect(await available(waiting)).toBe(1_000_000n);
  });

  it.each(['void', 'scalar'] as const)(
    'that was called off, which its payment calls %s, pays its value',
    async (word) => {
      const agentId = await holder('yes', 100n);
      outside.settle(ticker, undefined, 400_000n, 400_000n);
      outside.paid = outside.paid.map((row) => ({ ...row, result: word }));
      await keepers.settling.round();
      expect(await available(agentId)).toBe(400_000n);
    },
  );

  it('that is called scalar itself, and void by its payment, pays its value', async () => {
    const agentId = await holder('yes', 100n);
    outside.settle(ticker, 'scalar', 400_000n, 400_000n);
    outside.paid = outside.paid.map((row) => ({ ...row, result: 'void' }));
    await keepers.settling.round();
    expect(await available(agentId)).toBe(400_000n);
  });

  it('that was called off waits while the value of a contract is unknown', async () => {
    const agentId = await holder('yes', 100n);
    outside.settle(ticker, undefined, 400_000n);
    await keepers.settling.round();
    expect(await available(agentId)).toBe(0n);
    outside.paid = outside.paid.map((row) => ({ ...row, result: 'void', valueUsdMicros: 400_000n }));
    await keepers.settling.round();
    expect(await available(agentId)).toBe(400_000n);
  });

  it('that was called off pays its value', async () => {
    const agentId = await holder('no', 100n);
    outside.settle(ticker, undefined, 600_000n, 400_000n);
    await keepers.settling.round();
    expect(await available(agentId)).toBe(600_000n);
    expect((await test.ledger.positionsOf(agentId, true)).positions[0]?.settlement?.result).toBe('void');
  });

  it('is found without a payment when the account holds the same of both sides', async () => {
    const [right] = [await holder('yes', 100n), await holder('no', 100n)];
    outside.settle(ticker, 'yes');
    await keepers.settling.round();
    expect(await available(right)).toBe(1_000_000n);
  });
});

describe('a market is not settled', () => {
  it('while its result is not final, or the exchange has not paid', async () => {
    const agentId = await holder('yes', 100n);
    outside.market(ticker, { status: 'closed', result: 'yes', settlementValueUsdMicros: 1_000_000n });
    await keepers.settling.round();
    outside.settle(ticker, 'yes');
    await keepers.settling.round();
    expect(await available(agentId)).toBe(0n);
    outside.settle(ticker, 'yes', 1_000_000n);
    await keepers.settling.round();
    expect(await available(agentId)).toBe(1_000_000n);
  });

  it('while an order in it is not posted, or a sale is under way', async () => {
    const agentId = await holder('yes', 200n);
    const [buy, sale] = [operationOf(newId()), operationOf(agentId)];
    const order = orderRecord(terms(ticker, 'yes', 'buy'));
    await test.write((tx) => test.ledger.recordOrder(tx, buy, order));
    outside.settle(ticker, 'yes', 2_000_000n);
    await keepers.settling.round();
    expect(await available(agentId)).toBe(0n);
    await test.write(async (tx) => {
      await test.ledger.recordOrder(tx, buy, { ...order, status: 'cancelled' });
      await test.ledger.lockPosition(tx, sale, { ticker, side: 'yes', count: 100n });
    });
    await keepers.settling.round();
    expect(await available(agentId)).toBe(0n);
    await test.write((tx) => test.ledger.unlockPosition(tx, sale));
    await keepers.settling.round();
    expect(await available(agentId)).toBe(2_000_000n);
  });

  it('by what the exchange says wrongly: agents get what they are owed, and the cash is not believed', async () => {
    const agentId = await holder('yes', 100n);
    const cash = await test.total('exchange_cash');
    outside.settle(ticker, 'yes', 500_000n);
    await keepers.settling.round();
    expect(await available(agentId)).toBe(1_000_000n);
    expect((await test.total('exchange_cash')) - cash).toBe(1_000_000n);
  });
});

describe('finding what is settled', () => {
  it('asks for what was paid first, and for the others in turn', async () => {
    const tickers = Array.from({ length: 23 }, (_, i) => `${ticker}-${String(i).padStart(2, '0')}`);
    for (const each of tickers) {
      ticker = each;
      await holder('yes', 100n);
    }
    outside.settle(tickers[22]!, 'no', 0n);
    await keepers.settling.round();
    expect(outside.asked[0]).toBe(tickers[22]);
    expect(outside.asked).toHaveLength(11);
    for (let i = 0; i < 3; i += 1) await keepers.settling.round();
    expect(new Set(outside.asked)).toEqual(new Set(tickers));
  });

  it('takes no fill after the settlement', async () => {
    await holder('yes', 100n);
    outside.settle(ticker, 'yes', 1_000_000n);
    await keepers.settling.round();
    await expect(holder('yes', 100n)).rejects.toThrow('after the market was settled');
  });

  it('is done by one copy at a time', async () => {
    let release: (() => void) | undefined;
    const first = keepers.leader.lead('settlement', () => new Promise<void>((resolve) => (release = resolve)));
    const another = keepersOf(test, outside).leader;
    while (!release) await new Promise((resolve) => setImmediate(resolve));
    expect(await another.lead('settlement', async () => 'mine')).toBeUndefined();
    expect(await another.lead('comparison', async () => 'mine')).toBe('mine');
    release();
    await first;
    expect(await another.lead('settlement', async () => 'mine')).toBe('mine');
  });
});
