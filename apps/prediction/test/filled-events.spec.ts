import { auditV1 } from '@agent-wallet/contracts';
import { newId } from '@agent-wallet/kernel';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { type LedgerUnderTest, fillOf, openLedger, operationOf, terms } from './ledger-support.js';

let test: LedgerUnderTest;

beforeAll(async () => {
  test = await openLedger();
});
afterAll(() => test.close());

describe('the fills of an order', () => {
  it('are published once each, by the transaction that posts them, with what the whole order came to', async () => {
    const operation = operationOf(newId());
    const order = terms('MARKET', 'yes', 'buy');
    await test.write((tx) => test.ledger.escrow(tx, operation, 6_000_000n));
    const first = fillOf(order, { count: 400n, priceUsdMicros: 550_000n, feeUsdMicros: 69_300n });
    const second = fillOf(order, { count: 250n, priceUsdMicros: 560_000n, feeUsdMicros: 43_200n });
    await test.write((tx) => test.ledger.postFills(tx, operation, order, [first]));
    for (let time = 1; time <= 2; time += 1)
      await test.write((tx) => test.ledger.postFills(tx, operation, order, [second, first]));
    const undone = test.write(async (tx) => {
      await test.ledger.postFills(tx, operation, order, [fillOf(order, { count: 1n, priceUsdMicros: 10_000n })]);
      throw new Error('no');
    });
    await expect(undone).rejects.toThrow('no');
    const published = await test.rows<{ payload: Buffer }>(
      'select payload from outbox where agent_id = $1 order by id',
      operation.agentId,
    );
    const { operationId } = operation;
    const about = { operationId, orderId: order.orderId, ticker: order.ticker, side: 'yes', action: 'buy' };
    expect(published.map(({ payload }) => auditV1.AuditEvent.decode(payload).fact)).toEqual([
      {
        $case: 'orderFilled',
        value: {
          ...{ ...about, filledHundredths: 400n, totalUsdMicros: 2_200_000n, feeUsdMicros: 69_300n },
          fillIds: [first.fillId],
        },
      },
      {
        $case: 'orderFilled',
        value: {
          ...{ ...about, filledHundredths: 650n, totalUsdMicros: 3_600_000n, feeUsdMicros: 112_500n },
          fillIds: [second.fillId],
        },
      },
    ]);
  });
});
