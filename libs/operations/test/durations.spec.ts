import { startTelemetry } from '@agent-wallet/telemetry';
import { eventually } from '@agent-wallet/testing';
import { expect, it } from '@jest/globals';
import { World } from './world.js';

it('the duration of an operation until its outcome is recorded once, regardless of what follows', async () => {
  const settings = { sampler: 'always_off', samplerRatio: 0, spanDelayMs: 1_000, metricIntervalMs: 60_000 } as const;
  const running = await startTelemetry({
    service: 'wallet',
    settings: { ...settings, metricsAddress: '127.0.0.1:0' },
  });
  const world = await World.open();
  try {
    const startedAtMs = performance.now();
    const call = world.call();
    const engine = world.engine();
    await engine.run(world.kind, call);
    world.chain.finalize();
    await eventually(async () => (await world.openRows()) === 0);
    const tookSeconds = (performance.now() - startedAtMs) / 1_000;

    const text = await (await fetch(`http://${running.metricsAddress}/metrics`)).text();
    const read = [...text.matchAll(/^agentwallet_operation_duration_(count|sum)\{.*state="(\w+)".*\} (\S+)$/gm)];
    const recorded = read.map(([, which, state, value]) => [which, state, Number(value)] as const);
    expect(recorded).toEqual([
      ['count', 'confirmed', 1],
      ['sum', 'confirmed', expect.any(Number)],
    ]);
    expect(recorded[1]![2]).toBeGreaterThan(0);
    expect(recorded[1]![2]).toBeLessThan(tookSeconds + 0.1);
  } finally {
    await world.close();
    await running.stop();
  }
});
