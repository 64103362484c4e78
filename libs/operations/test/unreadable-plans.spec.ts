import { createOutbox } from '@agent-wallet/events';
import { systemClock } from '@agent-wallet/kernel';
import { startTelemetry } from '@agent-wallet/telemetry';
import { eventually } from '@agent-wallet/testing';
import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { OperatorService } from '../src/index.js';
import { World } from './world.js';

let world: World;
beforeEach(async () => {
  world = await World.open();
});
afterEach(() => world.close());

/** An operation in progress, whose plan a newer version of the service has written since; no worker holds it. */
async function leftByNewerVersion(): Promise<string> {
  const call = world.call();
  const engine = world.engine();
  await engine.run(world.kind, { ...call, waitMs: 1 });
  await eventually(async () => (await rowOf(call.id)).has_plan);
  await engine.stop();
  await world.database.pool.query(
    `update operations set plan = plan || '{"rebate":"3"}', fence = fence + 1, due_at = clock_timestamp()`,
  );
  return call.id;
}

interface Row {
  readonly has_plan: boolean;
  readonly is_unreadable: boolean;
  readonly due_in_seconds: number;
  readonly fence: number;
}

async function rowOf(id: string): Promise<Row> {
  const { rows } = await world.database.pool.query<Row>(
    `select plan is not null as has_plan, is_unreadable, fence::integer,
       extract(epoch from due_at - clock_timestamp())::float8 as due_in_seconds from operations where id = $1`,
    [id],
  );
  return rows[0]!;
}

describe('a plan of a newer version', () => {
  it('is parked: not taken again at once, counted, and explained to operators', async () => {
    const settings = { sampler: 'always_off', samplerRatio: 0, spanDelayMs: 1_000, metricIntervalMs: 60_000 } as const;
    const telemetry = await startTelemetry({
      service: 'wallet',
      settings: { ...settings, metricsAddress: '127.0.0.1:0' },
    });
    try {
      const id = await leftByNewerVersion();
      world.engine();
      await eventually(async () => (await rowOf(id)).is_unreadable);
      const { due_in_seconds: dueInSeconds } = await rowOf(id);
      expect(dueInSeconds).toBeGreaterThan(50);
      expect(dueInSeconds).toBeLessThanOrEqual(60);
      const text = await (await fetch(`http://${telemetry.metricsAddress}/metrics`)).text();
      expect(text).toMatch(/^agentwallet_operations_unreadable\{[^}]*action="transfer"[^}]*\} 1$/m);
      const { database, chain, kind } = world;
      const outbox = createOutbox('wallet', systemClock);
      const operators = new OperatorService({
        source: 'wallet',
        database,
        chain,
        outbox,
        clock: systemClock,
        handlers: [kind],
      });
      expect(await operators.explain(id)).toMatchObject({
        operation: { operationId: id },
        externalState: expect.stringContaining('plan.rebate must be absent'),
        nextStep: expect.stringContaining('every minute'),
      });
    } finally {
      await telemetry.stop();
    }
  });

  it('is carried on, and no longer counted, by a version that reads it', async () => {
    const id = await leftByNewerVersion();
    world.engine();
    await eventually(async () => (await rowOf(id)).is_unreadable);
    // The newer version is there again: to this one its plan is what it knows.
    await world.database.pool.query(`update operations set plan = plan - 'rebate', due_at = clock_timestamp()`);
    await eventually(async () => !(await rowOf(id)).is_unreadable);
  });
});
