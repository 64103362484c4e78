import { canRunKafka, where, eventually, openTestKafka, type TestKafka } from '@agent-wallet/testing';
import { afterAll, afterEach, beforeAll, describe, expect, it } from '@jest/globals';
import type { EventRecord } from '../src/index.js';
import {
  BROKER_STARTS_WITHIN_MS,
  freshSettings,
  type KafkaTestStream,
  makeTopics,
  openKafkaStream,
  streamOn,
} from './kafka-support.js';
import { firstSeen, newId, numberedEvent, numbersOf } from './support.js';

const describeWithKafka = where(describe, { name: 'Kafka (Java 17 and Maven)', isMet: canRunKafka() });
/** With a start of the broker in it. */
const TEST_LIMIT_MS = BROKER_STARTS_WITHIN_MS + 120_000;
/** A session that began while the broker was away may last a few tries longer. */
const BACK_WITHIN_MS = 120_000;
const range = (from: number, to: number) => Array.from({ length: to - from + 1 }, (_, i) => from + i);
const sleep = (ms: number) => new Promise((resolve) => setTimeout(resolve, ms));

describeWithKafka('a broker that is away', () => {
  let kafka: TestKafka;
  const ending: Array<() => Promise<unknown>> = [];
  beforeAll(async () => void (kafka = await openTestKafka()), BROKER_STARTS_WITHIN_MS);
  afterAll(() => kafka.stop());
  afterEach(async () => void (await Promise.all(ending.splice(0).map((end) => end()))));

  function consume(stream: KafkaTestStream): EventRecord[] {
    const seen: EventRecord[] = [];
    const consumer = stream.consumer();
    consumer.start(async (events) => void seen.push(...events));
    ending.push(() => consumer.stop());
    return seen;
  }

  /** Publishes numbered events of agents as a relay does: the next ones when these are accepted, the same until then. */
  function keepPublishing(stream: KafkaTestStream, agents: readonly string[]) {
    const publisher = stream.publisher();
    let isStopping = false;
    let published = 0;
    const done = (async () => {
      while (!isStopping) {
        const batch = agents.map((agentId) => numberedEvent(agentId, published + 1));
        let isAccepted = false;
        while (!isAccepted) {
          isAccepted = await publisher.publish(batch).then(
            () => true,
            () => false,
          );
        }
        published += 1;
        await sleep(5);
      }
      await publisher.close();
    })();
    const stop = async () => {
      isStopping = true;
      await done;
      return published;
    };
    return { published: () => published, stop };
  }

  async function expectEverything(seen: EventRecord[], agents: readonly string[], count: number): Promise<void> {
    await eventually(() => firstSeen(seen).length >= agents.length * count, BACK_WITHIN_MS);
    for (const agentId of agents) expect(numbersOf(firstSeen(seen), agentId)).toEqual(range(1, count));
  }

  it(
    'is found again after it was killed: nothing is lost, and agents keep their order',
    async () => {
      const stream = await openKafkaStream(kafka);
      const agents = range(1, 5).map(newId);
      const seen = consume(stream);
      const publishing = keepPublishing(stream, agents);
      await eventually(() => publishing.published() >= 20 && seen.length >= 20 * agents.length);
      await kafka.kill();
      await kafka.restart();
      const before = publishing.published();
      await eventually(() => publishing.published() >= before + 20, BACK_WITHIN_MS);
      await expectEverything(seen, agents, await publishing.stop());
    },
    TEST_LIMIT_MS,
  );

  it('may hang and come back: what was being published arrives once more at most, in its order', async () => {
    const stream = await openKafkaStream(kafka);
    const agents = range(1, 3).map(newId);
    const seen = consume(stream);
    const publishing = keepPublishing(stream, agents);
    await eventually(() => seen.length >= 30);
    kafka.pause();
    await sleep(3_000);
    kafka.resume();
    const before = publishing.published();
    await eventually(() => publishing.published() >= before + 10);
    await expectEverything(seen, agents, await publishing.stop());
  });

  it(
    'is waited for by those who start without it, and a publish gives up in time',
    async () => {
      const stream = await openKafkaStream(kafka);
      await kafka.kill();
      const seen = consume(stream);
      const publisher = stream.publisher();
      ending.push(() => publisher.close());
      const agentId = newId();
      const event = numberedEvent(agentId, 1);
      const startedAtMs = performance.now();
      await expect(publisher.publish([event])).rejects.toThrow();
      expect(performance.now() - startedAtMs).toBeLessThan(20_000);
      await kafka.restart();
      await publisher.publish([event]);
      await eventually(() => seen.length >= 1, BACK_WITHIN_MS);
      expect(numbersOf(firstSeen(seen), agentId)).toEqual([1]);
    },
    TEST_LIMIT_MS,
  );

  it('holds up no stop', async () => {
    const stream = streamOn({ ...freshSettings(kafka), brokers: ['127.0.0.1:1'] });
    const consumer = stream.consumer();
    consumer.start(async () => undefined);
    const startedAtMs = performance.now();
    await consumer.stop();
    await stream.publisher().close();
    expect(performance.now() - startedAtMs).toBeLessThan(10_000);
  });

  it('is missing a topic: both sides wait until it is made', async () => {
    const settings = freshSettings(kafka);
    const stream = streamOn(settings);
    const seen = consume(stream);
    const agents = [newId()];
    const publishing = keepPublishing(stream, agents);
    await makeTopics(settings);
    await eventually(() => publishing.published() >= 1);
    await expectEverything(seen, agents, await publishing.stop());
  });
});
