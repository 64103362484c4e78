import type { Database } from '@agent-wallet/platform';
import { type RunningTelemetry, startTelemetry } from '@agent-wallet/telemetry';
import { openTestDatabase, type TestDatabase } from '@agent-wallet/testing';
import { afterAll, beforeAll, expect, it } from '@jest/globals';
import { watchOutbox } from '../src/measure/outbox-gauges.js';
import { fillOutbox, openProducerAndLog } from './support.js';

let telemetry: RunningTelemetry;
let test: TestDatabase;
let databases: { producer: Database; log: Database };
beforeAll(async () => {
  telemetry = await startTelemetry({
    service: 'producer',
    settings: {
      ...{ sampler: 'always_off', samplerRatio: 0, spanDelayMs: 1_000, metricIntervalMs: 60_000 },
      metricsAddress: '127.0.0.1:0',
    },
  });
  test = await openTestDatabase();
  databases = await openProducerAndLog(test);
});
afterAll(async () => {
  await Promise.all([databases.producer.close(), databases.log.close()]);
  await test.close();
  await telemetry.stop();
});

/** Reads the gauge of a new watch, which keeps no earlier reading. */
async function gauge(): Promise<number> {
  const watched = watchOutbox(databases.producer);
  const text = await (await fetch(`http://${telemetry.metricsAddress}/metrics`)).text();
  watched.stop();
  return Number(/^agentwallet_outbox_size\{.*\} (\S+)$/m.exec(text)?.[1]);
}

it('the size of an outbox is exact up to 10,000 events, and 10,001 above', async () => {
  await fillOutbox(databases.producer, [1, 1, 1]);
  expect(await gauge()).toBe(3);
  await fillOutbox(
    databases.producer,
    Array.from({ length: 9_997 }, () => 1),
  );
  expect(await gauge()).toBe(10_000);
  await fillOutbox(databases.producer, [1, 1, 1]);
  expect(await gauge()).toBe(10_001);
});
