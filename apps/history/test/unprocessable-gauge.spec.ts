import { type RunningTelemetry, startTelemetry } from '@agent-wallet/telemetry';
import { afterAll, beforeAll, expect, it } from '@jest/globals';
import { watchUnprocessableEvents } from '../src/adapters/watch-unprocessable-events.js';
import { openTestStore, type TestStore } from './support.js';

let telemetry: RunningTelemetry;
let test: TestStore;
beforeAll(async () => {
  telemetry = await startTelemetry({
    service: 'history',
    settings: {
      ...{ sampler: 'always_off', samplerRatio: 0, spanDelayMs: 1_000, metricIntervalMs: 60_000 },
      metricsAddress: '127.0.0.1:0',
    },
  });
  test = await openTestStore();
});
afterAll(async () => {
  await test.close();
  await telemetry.stop();
});

/** Reads the gauge of a new watch, which keeps no earlier reading. */
async function gauge(): Promise<number> {
  const watched = watchUnprocessableEvents(test.history);
  const text = await (await fetch(`http://${telemetry.metricsAddress}/metrics`)).text();
  watched.stop();
  return Number(/^agentwallet_events_unprocessable\{.*\} (\S+)$/m.exec(text)?.[1]);
}

const setAside = (count: number) =>
  test.rows(
    `insert into unprocessable_events (event_id, agent_id, payload, error)
     select gen_random_uuid(), 'agent', '', 'unknown' from generate_series(1, $1::int)`,
    count,
  );

it('the number of events set aside is exact up to 10,000, and 10,001 above', async () => {
  await setAside(10_000);
  expect(await gauge()).toBe(10_000);
  await setAside(3);
  expect(await gauge()).toBe(10_001);
});
