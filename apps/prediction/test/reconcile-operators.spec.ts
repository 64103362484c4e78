import { predictionV1 } from '@agent-wallet/contracts';
import { createOutbox } from '@agent-wallet/events';
import { newId, systemClock } from '@agent-wallet/kernel';
import { createLogger } from '@agent-wallet/platform';
import { eventually } from '@agent-wallet/testing';
import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { openLedgerWork } from '../src/dependencies.js';
import { ledgerService } from '../src/grpc/ledger-service.js';
import type { Exchange } from '../src/ports/exchange.js';
import { startLedgerWork } from '../src/start.js';
import { LedgerSources } from './ledger-sources.js';
import { bought, type LedgerUnderTest, openLedger } from './ledger-support.js';

const NOTE = { operator: 'ada', reason: 'a test' };

let test: LedgerUnderTest;
let outside: LedgerSources;
let controller: ReturnType<typeof ledgerService>;
let lines: string[];
let loops: { stop(): Promise<void> };
beforeEach(async () => {
  test = await openLedger();
  outside = new LedgerSources();
  const exchange = outside.exchange as unknown as Exchange;
  lines = [];
  const logger = createLogger('test', 'info', { write: (text: string) => void lines.push(text) });
  const { database } = test;
  const outbox = createOutbox('prediction', systemClock);
  const wired = { database, outbox, exchange, wallet: outside.wallet, clock: systemClock, logger };
  const opened = openLedgerWork(wired);
  controller = ledgerService(opened.ledgerAdministration);
  loops = startLedgerWork(opened, { settlementIdleMs: 20, comparisonIdleMs: 20 });
});
afterEach(async () => {
  await loops.stop();
  await test.close();
});

describe('by itself', () => {
  it('finds the first money, which an operator attributes, and settles markets', async () => {
    outside.treasury = 10_000_000_000n;
    await eventually(async () => {
      const request = { location: 'treasury', amountUsdMicros: 0n, ...NOTE };
      return (await controller.attributeFunds(request)).amountUsdMicros === 10_000_000_000n;
    });
    const logged = lines.map((text) => (JSON.parse(text) as { readonly event: string }).event);
    expect(logged).toEqual(['ledger.opening_balance_found', 'funds.attributed']);
    const agentId = newId();
    await bought(test, agentId, { ticker: 'MARKET', side: 'no', count: 100n });
    outside.settle('MARKET', 'no', 1_000_000n);
    await eventually(async () => (await test.ledger.balanceOf(agentId)).availableUsdMicros === 1_000_000n);
  });
});

describe('an operator', () => {
  it('sees every figure and every kind of account, in a message that can be sent', async () => {
    await bought(test, newId(), { ticker: 'MARKET', side: 'yes', count: 100n });
    outside.held.set('MARKET', 100n);
    outside.cash = -500_000n;
    outside.treasury = 500_001n;
    const answer = await controller.reconcile({});
    expect(predictionV1.ReconcileResponse.decode(predictionV1.ReconcileResponse.encode(answer).finish())).toEqual(
      answer,
    );
    expect(answer).toMatchObject({ complete: true, trialBalanceUsdMicros: 0n, ordersHaltedReason: '' });
    expect(answer.comparisons).toEqual([
      {
        ...{ subject: 'treasury_usdc', ledgerAmount: 500_000n, externalAmount: 500_001n, inFlightAmount: 0n },
        note: 'more than the ledger says',
      },
      { subject: 'exchange_cash', ledgerAmount: -500_000n, externalAmount: -500_000n, inFlightAmount: 0n, note: '' },
      { subject: 'position:MARKET', ledgerAmount: 100n, externalAmount: 100n, inFlightAmount: 0n, note: '' },
    ]);
    expect(answer.accounts).toContainEqual({ kind: 'treasury_usdc', balanceUsdMicros: 500_000n });
  });

  it('sees why orders are halted', async () => {
    outside.cash = -1n;
    await eventually(async () => {
      const { ordersHaltedReason } = await controller.reconcile({});
      return ordersHaltedReason.includes('exchange by -0.000001 USD');
    });
  });

  it('says who and why, and where', async () => {
    const wrong = [
      { location: 'bank', ...NOTE },
      { location: 'treasury', operator: 'ada', reason: ' ' },
      { location: 'exchange', operator: '', reason: 'a test' },
    ];
    for (const each of wrong)
      await expect(controller.attributeFunds({ ...each, amountUsdMicros: 0n })).rejects.toMatchObject({
        code: 'VALIDATION_ERROR',
      });
    await expect(controller.resumeOrders({ operator: '', reason: '' })).rejects.toMatchObject({
      code: 'VALIDATION_ERROR',
    });
    expect(await controller.resumeOrders(NOTE)).toEqual({ changed: false });
  });
});
