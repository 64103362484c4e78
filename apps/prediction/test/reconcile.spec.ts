import { auditV1 } from '@agent-wallet/contracts';
import { newId } from '@agent-wallet/kernel';
import { createLogger } from '@agent-wallet/platform';
import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { lasting, unexplainedOf } from '../src/domain/ledger/compare.js';
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

const NOTE = { operator: 'ada', reason: 'a test' };
const TICKER = 'MARKET';

let test: LedgerUnderTest;
let outside: LedgerSources;
let keepers: ReturnType<typeof keepersOf>;
beforeEach(async () => {
  test = await openLedger();
  outside = new LedgerSources();
  keepers = keepersOf(test, outside);
});
afterEach(async () => {
  expect(await faultsOf(test)).toEqual([]);
  await test.close();
});

const rounds = async (times = 2) => {
  for (let i = 0; i < times; i += 1) await keepers.watching.round();
};

/** The operator's money, in the treasury and at the exchange, found and attributed. */
async function fund(): Promise<void> {
  outside.treasury = 50_000_000n;
  outside.cash = 90_000_000n;
  await rounds();
  expect(await keepers.comparisons.attributeFunds('treasury', 0n, NOTE)).toBe(50_000_000n);
  expect(await keepers.comparisons.attributeFunds('exchange', 0n, NOTE)).toBe(90_000_000n);
}

/** An agent buys ten contracts at 40 cents: here and, unless only here, outside. */
async function buy(agentId = newId()) {
  const operation = operationOf(agentId);
  const order = terms(TICKER, 'yes', 'buy');
  await test.write(async (tx) => {
    await test.ledger.escrow(tx, operation, 4_000_000n);
    await test.ledger.postFills(tx, operation, order, [fillOf(order, { count: 1_000n, priceUsdMicros: 400_000n })]);
  });
  outside.treasury = outside.confirmed + 4_000_000n;
  outside.cash -= 4_000_000n;
  outside.held.set(TICKER, (outside.held.get(TICKER) ?? 0n) + 1_000n);
  return operation;
}

/** What the comparison finds that nothing explains. */
async function differences(): Promise<Record<string, bigint>> {
  const { comparisons } = await keepers.watching.look();
  const all = comparisons.map((each) => [each.subject, unexplainedOf(each)] as const);
  return Object.fromEntries(all.filter(([, difference]) => difference !== 0n));
}

it('what lasts is what two comparisons found alike, and no more than the smaller', () => {
  expect([lasting(3n, 5n), lasting(5n, 3n), lasting(-3n, -5n), lasting(-5n, -3n)]).toEqual([3n, 3n, -3n, -3n]);
  expect([lasting(0n, 5n), lasting(5n, 0n), lasting(-5n, 5n), lasting(5n, -5n)]).toEqual([0n, 0n, 0n, 0n]);
});

describe('the log of a surplus', () => {
  it('has an opening balance at info for each location without entries, and warns of all that comes later', async () => {
    const lines: string[] = [];
    const logger = createLogger('test', 'info', { write: (text: string) => void lines.push(text) });
    const { watching, comparisons } = keepersOf(test, outside, logger);
    const logged = async () => {
      for (let i = 0; i < 2; i += 1) await watching.round();
      const found = lines.splice(0).map((text) => JSON.parse(text) as Record<string, unknown>);
      return found.map(({ level, event, location, usdMicros }) => [level, event, location, usdMicros]);
    };
    outside.treasury = 50_000_000n;
    expect(await logged()).toEqual([[30, 'ledger.opening_balance_found', 'treasury', '50000000']]);
    outside.cash = 90_000_000n;
    outside.treasury = 50_000_001n;
    expect(await logged()).toEqual([
      [40, 'ledger.surplus_found', 'treasury', '1'],
      [30, 'ledger.opening_balance_found', 'exchange', '90000000'],
    ]);
    expect([await test.total('suspense_treasury'), await test.total('suspense_exchange')]).toEqual([
      -50_000_001n,
      -90_000_000n,
    ]);
    await comparisons.attributeFunds('exchange', 0n, NOTE);
    outside.cash += 2n;
    expect(await logged()).toEqual([[40, 'ledger.surplus_found', 'exchange', '2']]);
  });

  it('has an opening balance at info that was found before an agent’s first order, and posted after it', async () => {
    const lines: string[] = [];
    const logger = createLogger('test', 'info', { write: (text: string) => void lines.push(text) });
    outside.treasury = 50_000_000n;
    outside.cash = 90_000_000n;
    const { watching } = keepersOf(test, outside, logger);
    await watching.round();
    await buy();
    outside.finalized = outside.confirmed;
    await watching.round();
    outside.cash += 3n;
    for (let i = 0; i < 2; i += 1) await watching.round();
    const logged = lines.map((text) => JSON.parse(text) as Record<string, unknown>);
    expect(logged.map(({ event, location, usdMicros }) => [event, location, usdMicros])).toEqual([
      ['ledger.opening_balance_found', 'treasury', '50000000'],
      ['ledger.opening_balance_found', 'exchange', '90000000'],
      ['ledger.surplus_found', 'exchange', '3'],
    ]);
  });

  it('warns of a surplus beside an agent’s escrow, though nothing was found before', async () => {
    const lines: string[] = [];
    const logger = createLogger('test', 'warn', { write: (text: string) => void lines.push(text) });
    await test.write((tx) => test.ledger.escrow(tx, operationOf(newId()), 4_000_000n));
    outside.treasury = 4_000_001n;
    const { watching } = keepersOf(test, outside, logger);
    for (let i = 0; i < 2; i += 1) await watching.round();
    expect(lines).toEqual([expect.stringContaining('"event":"ledger.surplus_found"')]);
  });
});

describe('money that came from outside', () => {
  it('goes to suspense once two polls have seen it, and to the operator once attributed', async () => {
    outside.treasury = 7n;
    await rounds(1);
    expect(await test.total('suspense_treasury')).toBe(0n);
    await rounds(3);
    expect([await test.total('suspense_treasury'), await test.total('treasury_usdc')]).toEqual([-7n, 7n]);
    expect(await keepers.comparisons.attributeFunds('treasury', 3n, NOTE)).toBe(3n);
    await expect(keepers.comparisons.attributeFunds('treasury', 5n, NOTE)).rejects.toMatchObject({
      code: 'INSUFFICIENT_FUNDS',
    });
    expect(await keepers.comparisons.attributeFunds('treasury', 0n, NOTE)).toBe(4n);
    expect(await keepers.comparisons.attributeFunds('treasury', 0n, NOTE)).toBe(0n);
    expect(await test.total('operator_float')).toBe(-7n);
    expect(await test.ledger.ordersHalted()).toBeUndefined();
    const events = await test.rows<{ payload: Buffer }>('select payload from outbox order by id');
    expect(events.map(({ payload }) => auditV1.AuditEvent.decode(payload).fact)).toEqual(
      Array(2).fill({ $case: 'operatorActed', value: { ...NOTE, action: 'attribute_funds', operationId: '' } }),
    );
  });

  it('counts only when final blocks show it, too', async () => {
    await fund();
    outside.confirmed += 5n;
    await rounds(3);
    expect(await test.total('suspense_treasury')).toBe(0n);
    outside.finalized += 5n;
    await rounds(2);
    expect(await test.total('suspense_treasury')).toBe(-5n);
  });

  it('is posted once by copies that compare at the same time', async () => {
    outside.treasury = 7n;
    await rounds(1);
    const another = keepersOf(test, outside);
    await Promise.all([keepers.watching.round(), another.watching.round()]);
    expect(await test.total('suspense_treasury')).toBe(-7n);
  });
});

describe('money that is missing', () => {
  it('stops orders once it is missing twice in a row, in all copies; withdrawals go on', async () => {
    await fund();
    const operation = await buy();
    outside.cash -= 1n;
    await rounds(1);
    expect(await test.ledger.ordersHalted()).toBeUndefined();
    outside.cash += 1n;
    await rounds(1);
    outside.cash -= 1n;
    await rounds(1);
    expect(await test.ledger.ordersHalted()).toBeUndefined();
    await rounds(1);
    expect(await test.ledger.ordersHalted()).toContain('exchange by -0.000001 USD');
    await rounds(2);
    const payout = operationOf(operation.agentId);
    await expect(test.write((tx) => test.ledger.startPayout(tx, payout, 1, 1n))).rejects.toMatchObject({
      code: 'INSUFFICIENT_FUNDS',
    });
  });

  it('is the operator’s loss when orders are resumed, and does not stop them again', async () => {
    await fund();
    outside.treasury = outside.confirmed - 11n;
    await rounds(2);
    expect(await test.ledger.ordersHalted()).toContain('treasury by -0.000011 USD');
    expect(await keepers.comparisons.resumeOrders(NOTE)).toBe(true);
    expect(await keepers.comparisons.resumeOrders(NOTE)).toBe(false);
    await rounds(3);
    expect(await test.ledger.ordersHalted()).toBeUndefined();
    expect(await test.total('operator_float')).toBe(-140_000_000n + 11n);
  });

  it('that has come back costs the operator nothing', async () => {
    await fund();
    outside.cash -= 11n;
    await rounds(2);
    outside.cash += 11n;
    await rounds(1);
    expect(await test.ledger.ordersHalted()).toBeDefined();
    expect(await keepers.comparisons.resumeOrders(NOTE)).toBe(true);
    expect(await test.total('operator_float')).toBe(-140_000_000n);
  });

  it('can be contracts, whichever way they differ', async () => {
    await fund();
    outside.held.set('ELSEWHERE', 1n);
    await rounds(2);
    expect(await test.ledger.ordersHalted()).toContain('contracts of ELSEWHERE by 0.01');
  });
});

describe('what operations under way explain', () => {
  beforeEach(fund);

  it('is a payout on its way, sent or not', async () => {
    const operation = await buy();
    const refund = operationOf(operation.agentId);
    await test.write(async (tx) => {
      await test.ledger.escrow(tx, refund, 1_000_000n);
      await test.ledger.startRefund(tx, refund, 3, 1_000_000n);
    });
    outside.treasury = outside.confirmed + 1_000_000n;
    expect(await differences()).toEqual({});
    outside.confirmed -= 1_000_000n;
    expect(await differences()).toEqual({});
    outside.treasury = outside.confirmed;
    expect(await differences()).toEqual({});
    outside.treasury = outside.confirmed - 1n;
    expect(await differences()).toEqual({ treasury_usdc: -1n });
  });

  it('is an escrow that has arrived and is not posted', async () => {
    const { operationId, agentId } = operationOf(newId());
    await test.rows(
      `insert into operations (id, agent_id, action, request, request_id, plan, created_at_ms, owner, due_at)
       values ($1, $2, 'prediction_buy', '{}', '', '{"escrowUsdMicros":"2500000"}', 1, $2, now())`,
      ...[operationId, agentId],
    );
    expect(await differences()).toEqual({});
    outside.treasury = outside.confirmed + 2_500_000n;
    expect(await differences()).toEqual({});
    outside.treasury = outside.confirmed + 1n;
    expect(await differences()).toEqual({ treasury_usdc: 1n });
    await test.write((tx) => test.ledger.escrow(tx, { operationId, agentId }, 2_500_000n));
    expect(await differences()).toEqual({ treasury_usdc: 1n });
  });

  it('is an order that is not posted, as far as its contracts go', async () => {
    const operation = operationOf(newId());
    const order = orderRecord(terms(TICKER, 'yes', 'buy'), { count: 1_000n });
    await test.write((tx) => test.ledger.recordOrder(tx, operation, order));
    outside.cash -= 4_100_000n;
    outside.held.set(TICKER, 1_000n);
    expect(await differences()).toEqual({});
    outside.held.set(TICKER, 1_001n);
    expect(await differences()).toEqual({ [`position:${TICKER}`]: 1n });
    await test.write((tx) => test.ledger.recordOrder(tx, operation, { ...order, status: 'cancelled' }));
    expect(await differences()).toEqual({ exchange_cash: -4_100_000n, [`position:${TICKER}`]: 1_001n });
  });

  it('accepts any reported time of a fill', async () => {
    const operation = operationOf(newId());
    const order = terms(TICKER, 'yes', 'buy');
    const fill = fillOf(order, { count: 100n, priceUsdMicros: 400_000n });
    await test.write(async (tx) => {
      await test.ledger.escrow(tx, operation, 400_000n);
      await test.ledger.postFills(tx, operation, order, [{ ...fill, atMs: Date.UTC(9999, 0, 1) }]);
    });
    expect((await keepers.watching.look()).complete).toBe(true);
  });

  it('is a market that the exchange has settled and the ledger has not', async () => {
    await buy();
    outside.tradingFees = 170_000n;
    outside.settle(TICKER, 'yes', 10_000_000n);
    expect(await differences()).toEqual({});
    await rounds(3);
    await keepers.settling.round();
    await rounds(2);
    expect(await differences()).toEqual({});
    expect(await test.ledger.ordersHalted()).toBeUndefined();
    expect(await test.total('suspense_exchange')).toBe(0n);
  });
});

describe('a moment that is not quiet', () => {
  beforeEach(fund);

  it.each([1, 2])('is not compared: something is posted after the cash was asked for %i times', async (moment) => {
    let times = 0;
    outside.meanwhile = async () => {
      if ((times += 1) === moment) await buy();
    };
    expect(await differences()).toEqual({});
    expect((await keepers.watching.look()).complete).toBe(true);
    outside.meanwhile = () => buy();
    expect(await keepers.watching.look()).toMatchObject({ complete: false, comparisons: [] });
  });

  it('is not compared: the exchange does not show the last fill yet', async () => {
    await buy();
    outside.asOf = 1_699_999_999_999;
    outside.cash += 4_000_000n;
    await rounds(3);
    expect(await test.total('suspense_exchange')).toBe(0n);
    expect((await keepers.watching.look()).complete).toBe(false);
  });

  it('neither repeats nor clears what was found before', async () => {
    outside.cash -= 1n;
    await rounds(1);
    outside.isDown = true;
    await rounds(3);
    expect(await test.ledger.ordersHalted()).toBeUndefined();
    outside.isDown = false;
    await rounds(1);
    expect(await test.ledger.ordersHalted()).toBeDefined();
  });
});
