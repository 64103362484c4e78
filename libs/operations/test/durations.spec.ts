import { startTelemetry } from '@agent-wallet/telemetry';
import type { Clock } from '@agent-wallet/kernel';
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
    let nowMs = 1_700_000_000_000;
    const clock: Clock = { nowMs: () => nowMs };
    // The operation is made at one moment, and lands a quarter of a minute later.
    const checkpoint = async (name: string) => {
      if (name.endsWith('after-broadcast')) nowMs = 1_700_000_015_000;
    };
    await world.engine({ clock, checkpoint }).run(world.kind, world.call());
    nowMs += 60_000;
    world.chain.finalize();
    await eventually(async () => (await world.openRows()) === 0);

    const text = await (await fetch(`http://${running.metricsAddress}/metrics`)).text();
    const read = [...text.matchAll(/^agentwallet_operation_duration_(count|sum)\{.*state="(\w+)".*\} (\S+)$/gm)];
    const recorded = read.map(([, which, state, value]) => [which, state, Number(value)] as const);
    expect(recorded).toEqual([
      ['count', 'confirmed', 1],
      ['sum', 'confirmed', 15],
    ]);
  } finally {
    await world.close();
    await running.stop();
  }
});
