import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { existsSync } from 'node:fs';
import net from 'node:net';
import { canRunKafka, openTestKafka, type TestKafka } from './test-kafka.js';
import { where } from './where-possible.js';

const describeWithKafka = where(describe, { name: 'Kafka (Java 17 and Maven)', isMet: canRunKafka() });

/** Four seconds on a machine that has nothing else to do. */
const STARTS_WITHIN_MS = 180_000;

function accepts(brokers: string): Promise<boolean> {
  const [host, port] = brokers.split(':');
  const socket = net.connect({ host: host!, port: Number(port) });
  return new Promise<boolean>((resolve) => {
    socket.once('connect', () => resolve(true));
    socket.once('error', () => resolve(false));
  }).finally(() => socket.destroy());
}

describeWithKafka('a test broker', () => {
  let kafka: TestKafka;
  beforeAll(async () => void (kafka = await openTestKafka()), STARTS_WITHIN_MS);
  afterAll(() => kafka.stop());

  it(
    'is gone when killed, and back where it was after a restart',
    async () => {
      const { brokers } = kafka;
      expect(await accepts(brokers)).toBe(true);
      await kafka.kill();
      expect(await accepts(brokers)).toBe(false);
      await kafka.restart();
      expect(kafka.brokers).toBe(brokers);
      expect(await accepts(brokers)).toBe(true);
    },
    STARTS_WITHIN_MS,
  );

  it('leaves nothing behind', async () => {
    const { dataDir } = kafka as unknown as { dataDir: string };
    expect(existsSync(dataDir)).toBe(true);
    await kafka.stop();
    expect(await accepts(kafka.brokers)).toBe(false);
    expect(existsSync(dataDir)).toBe(false);
  });
});
