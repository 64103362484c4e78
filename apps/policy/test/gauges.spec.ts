import { type RunningTelemetry, startTelemetry } from '@agent-wallet/telemetry';
import { afterAll, beforeAll, expect, it } from '@jest/globals';
import { watchReservations } from '../src/adapters/watch-reservations.js';
import { type ReservationsUnderTest, newAgent, openStore, request, USD } from './store-support.js';

let opened: ReservationsUnderTest;

beforeAll(async () => {
  opened = await openStore();
});
afterAll(() => opened.close());

/** What the gauges show now. A process reuses a poll for five seconds, so each call starts telemetry of its own. */
async function gauges(): Promise<Record<string, number>> {
  const settings = { sampler: 'always_off', samplerRatio: 0, spanDelayMs: 1_000, metricIntervalMs: 60_000 } as const;
  const running: RunningTelemetry = await startTelemetry({
    service: 'policy',
    settings: { ...settings, metricsAddress: '127.0.0.1:0' },
  });
  const watching = watchReservations(opened.database.policy);
  try {
    const text = await (await fetch(`http://${running.metricsAddress}/metrics`)).text();
    const read = [...text.matchAll(/^agentwallet_reservations_(\w+)\{.*\} (\S+)$/gm)];
    return Object.fromEntries(read.map(([, name, value]) => [name!, Number(value)]));
  } finally {
    watching.stop();
    await running.stop();
  }
}

it('tells what is reserved, and what of it no limit is held against', async () => {
  expect(await gauges()).toEqual({ open: 0, open_usd: 0, oldest_age: 0, unaccounted_usd: 0 });

  const agents = [await newAgent(opened.database), await newAgent(opened.database)];
  for (const agentId of [...agents, ...agents]) await opened.store.reserve(request(agentId));
  expect(await gauges()).toMatchObject({ open: 4, open_usd: 40, unaccounted_usd: 0 });

  // One agent's sum lacks a micro-dollar; the other's has one too many, which takes nothing back.
  await opened.database.rows(
    `update policies set reserved_usd_micros = case agent_id when $1 then $2::bigint else $3::bigint end
     where agent_id = any($4::uuid[])`,
    ...[agents[0], 20n * USD - 1n, 20n * USD + 1n, agents],
  );
  expect(await gauges()).toMatchObject({ open: 4, open_usd: 40, unaccounted_usd: 0.000001 });
});
