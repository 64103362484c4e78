import { METRICS, type RunningTelemetry, startTelemetry } from '@agent-wallet/telemetry';
import type { TestKafka } from '@agent-wallet/testing';
import { eventually } from '@agent-wallet/testing';
import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { type KafkaTestStream, openKafkaStream } from './kafka-support.js';
import { newId, numberedEvent } from './support.js';

const EVENTS = 30;
/** As Prometheus spells it. */
const GAUGE = METRICS.streamLag.name.replaceAll('.', '_');

/** What the gauge of a consumer says. */
export function describeLag(broker: () => TestKafka): void {
  describe('the lag that is measured', () => {
    let telemetry: RunningTelemetry;
    let stream: KafkaTestStream;
    const ending: Array<() => Promise<unknown>> = [];
    beforeEach(async () => {
      const settings = {
        sampler: 'always_off',
        samplerRatio: 0,
        spanDelayMs: 1_000,
        metricIntervalMs: 60_000,
      } as const;
      telemetry = await startTelemetry({ service: 'test', settings: { ...settings, metricsAddress: '127.0.0.1:0' } });
      ending.push(() => telemetry.stop());
      stream = await openKafkaStream(broker());
    });
    afterEach(async () => {
      for (const end of ending.splice(0).reverse()) await end();
    });

    async function lag(): Promise<number | undefined> {
      const text = await (await fetch(`http://${telemetry.metricsAddress}/metrics`)).text();
      const value = new RegExp(`^${GAUGE}\\{[^}]*\\} (\\d+)`, 'm').exec(text)?.[1];
      return value === undefined ? undefined : Number(value);
    }

    it('is what was published and not handled yet, and nothing once it is', async () => {
      const publisher = stream.publisher();
      ending.push(() => publisher.close());
      await publisher.publish(Array.from({ length: EVENTS }, (_, n) => numberedEvent(newId(), n)));
      let isTaken = false;
      let letGo = (): void => undefined;
      const held = new Promise<void>((resolve) => (letGo = resolve));
      const consumer = stream.consumer();
      consumer.start(async () => {
        isTaken = true;
        await held;
      });
      ending.push(() => consumer.stop());
      ending.push(async () => letGo());
      await eventually(() => isTaken);
      await eventually(async () => (await lag()) === EVENTS);
      letGo();
      await eventually(async () => (await lag()) === 0);
      expect(await lag()).toBe(0);
    });
  });
}
