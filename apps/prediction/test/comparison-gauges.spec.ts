import { startTelemetry } from '@agent-wallet/telemetry';
import { afterEach, beforeEach, expect, it } from '@jest/globals';
import { watchComparison } from '../src/adapters/ledger/watch-comparison.js';
import { keepersOf, LedgerSources } from './ledger-sources.js';
import { type LedgerUnderTest, openLedger } from './ledger-support.js';

let test: LedgerUnderTest;
beforeEach(async () => {
  test = await openLedger();
});
afterEach(() => test.close());

async function gauges(): Promise<Record<string, number>> {
  const settings = { sampler: 'always_off', samplerRatio: 0, spanDelayMs: 1_000, metricIntervalMs: 60_000 } as const;
  const running = await startTelemetry({
    service: 'prediction',
    settings: { ...settings, metricsAddress: '127.0.0.1:0' },
  });
  const watching = watchComparison(test.database);
  try {
    const text = await (await fetch(`http://${running.metricsAddress}/metrics`)).text();
    const read = [...text.matchAll(/^agentwallet_(?:ledger|orders)_(\w+)\{(?:.*location="(\w+)")?.*\} (\S+)$/gm)];
    return Object.fromEntries(read.map(([, name, location, value]) => [location ?? name!, Number(value)]));
  } finally {
    watching.stop();
    await running.stop();
  }
}

it('what the last comparison could not explain is published, and that orders are halted', async () => {
  const outside = new LedgerSources();
  const { watching, comparisons } = keepersOf(test, outside);
  expect(await gauges()).toEqual({ treasury: 0, exchange: 0, position_discrepancies: 0, halted: 0 });

  // The operator's own money is there first, so that some can be missing.
  outside.treasury = 50_000_000n;
  await watching.round();
  expect(await gauges()).toMatchObject({ treasury: 50, halted: 0 });
  await watching.round();
  await comparisons.attributeFunds('treasury', 0n, { operator: 'ada', reason: 'a test' });
  expect(await gauges()).toMatchObject({ treasury: 0, halted: 0 });

  outside.treasury = 49_999_999n;
  outside.held.set('MARKET', 100n);
  await watching.round();
  expect(await gauges()).toEqual({ treasury: -0.000001, exchange: 0, position_discrepancies: 1, halted: 0 });
  await watching.round();
  expect(await gauges()).toMatchObject({ treasury: -0.000001, halted: 1 });
});
