import type { TestKafka } from '@agent-wallet/testing';
import { eventually } from '@agent-wallet/testing';
import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import kafkajs, { type KafkaMessage, type Message } from 'kafkajs';
import { type EventConsumer, type EventRecord, type KafkaSettings, type OpenEventPublisher } from '../src/index.js';
import { freshSettings, type KafkaTestStream, makeTopics, streamOn } from './kafka-support.js';
import { newId, numberedEvent, numbersOf } from './support.js';

/** What other programs find in the topics, and what becomes of what they put there. */
export function describeMessages(broker: () => TestKafka): void {
  describe('what is in the topics', () => {
    let kafka: TestKafka;
    let settings: KafkaSettings;
    let stream: KafkaTestStream;
    let publisher: OpenEventPublisher;
    const ending: Array<() => Promise<unknown>> = [];
    beforeEach(() => {
      kafka = broker();
      settings = freshSettings(kafka);
      stream = streamOn(settings);
      publisher = stream.publisher();
      ending.push(() => publisher.close());
    });
    afterEach(async () => void (await Promise.all(ending.splice(0).map((end) => end()))));

    function outsider() {
      return new kafkajs.Kafka({ brokers: [kafka.brokers], logLevel: kafkajs.logLevel.NOTHING });
    }

    /** Puts messages into the topic that none of our publishers makes. */
    async function put(messages: Message[]): Promise<void> {
      const producer = outsider().producer({ createPartitioner: kafkajs.Partitioners.DefaultPartitioner });
      await producer.connect();
      await producer.send({ topic: settings.topic, messages });
      await producer.disconnect();
    }

    /** All that is in a topic, as another program sees it. */
    async function messagesIn(topic: string, count: number): Promise<Array<KafkaMessage & { partition: number }>> {
      const seen = new Map<string, KafkaMessage & { partition: number }>();
      const consumer = outsider().consumer({ groupId: newId(), maxWaitTimeInMs: 100 });
      await consumer.connect();
      await consumer.subscribe({ topics: [topic], fromBeginning: true });
      await consumer.run({
        eachMessage: async ({ message, partition }) =>
          void seen.set(`${partition}/${message.offset}`, { ...message, partition }),
      });
      await eventually(() => seen.size >= count);
      await consumer.disconnect();
      return [...seen.values()];
    }

    function collect(): { seen: EventRecord[]; consumer: EventConsumer } {
      const seen: EventRecord[] = [];
      const consumer = stream.consumer();
      consumer.start(async (events) => void seen.push(...events));
      ending.push(() => consumer.stop());
      return { seen, consumer };
    }

    const headersOf = ({ headers }: KafkaMessage) =>
      Object.fromEntries(Object.entries(headers ?? {}).map(([name, value]) => [name, String(value)]));

    it('is a CloudEvent of binary mode, keyed by its agent', async () => {
      await makeTopics(settings);
      const event = numberedEvent(newId(), 7);
      await publisher.publish([event]);
      const [message] = await messagesIn(settings.topic, 1);
      expect(String(message!.key)).toBe(event.agentId);
      expect(message!.value).toEqual(Buffer.from(event.payload));
      expect(headersOf(message!)).toEqual({
        'content-type': 'application/protobuf',
        ce_specversion: '1.0',
        ce_id: event.eventId,
        ce_source: '/wallet',
        ce_type: 'agentwallet.wallet.created.v1',
        ce_subject: event.agentId,
        ce_time: expect.stringMatching(/^20\d\d-.*Z$/),
      });
    });

    it('is in one partition for an agent, where the clients of other languages look for it', async () => {
      await makeTopics(settings, 12);
      const agents = Array.from({ length: 20 }, newId);
      await publisher.publish(agents.map((agentId) => numberedEvent(agentId, 1)));
      await put(agents.map((key) => ({ key, value: 'by another client, with the partitioner of Java' })));
      const messages = await messagesIn(settings.topic, 40);
      for (const agentId of agents) {
        const places = messages.filter(({ key }) => String(key) === agentId).map(({ partition }) => partition);
        expect(places).toHaveLength(2);
        expect(new Set(places).size).toBe(1);
      }
      expect(new Set(messages.map(({ partition }) => partition)).size).toBeGreaterThan(1);
    });

    it('is set aside when it is not an event, with its content, reason and origin, and delays no other', async () => {
      await makeTopics(settings, 1);
      const agentId = newId();
      const key = newId();
      await publisher.publish([numberedEvent(agentId, 1)]);
      await put([
        { key, value: 'no id', headers: { ce_type: 'x' } },
        { key, value: 'odd id', headers: { ce_id: '1' } },
        { key: 'nobody', value: 'odd key', headers: { ce_id: newId() } },
        { key: null, value: 'no key', headers: { ce_id: newId() } },
        { key, value: null, headers: { ce_id: newId() } },
      ]);
      await publisher.publish([numberedEvent(agentId, 2)]);
      const { seen, consumer } = collect();
      await eventually(() => seen.length >= 2);
      expect(numbersOf(seen, agentId)).toEqual([1, 2]);
      const dead = await messagesIn(`${settings.topic}.dead`, 5);
      expect(dead.map(({ value }) => value?.toString() ?? null)).toEqual([
        'no id',
        'odd id',
        'odd key',
        'no key',
        null,
      ]);
      expect(dead.map((message) => headersOf(message)['dead_reason'])).toEqual([
        'no header ce_id',
        'the header ce_id is not a UUID',
        'the key is not a UUID',
        'no key',
        'no value',
      ]);
      expect(headersOf(dead[0]!)).toMatchObject({
        ce_type: 'x',
        dead_topic: settings.topic,
        dead_partition: '0',
        dead_offset: '1',
      });
      await consumer.stop();
      const again = collect();
      await publisher.publish([numberedEvent(agentId, 3)]);
      await eventually(() => again.seen.length >= 1);
      expect(numbersOf(again.seen, agentId)).toEqual([3]);
      expect(await messagesIn(`${settings.topic}.dead`, 5)).toHaveLength(5);
    });

    it('is not passed over before it is set aside', async () => {
      const withoutExpired = { ...settings, topic: `${settings.topic}-alone` };
      await makeTopics(withoutExpired, 1, [withoutExpired.topic]);
      settings = withoutExpired;
      stream = streamOn(withoutExpired);
      const agentId = newId();
      await put([{ key: agentId, value: 'no event' }]);
      const out = stream.publisher();
      ending.push(() => out.close());
      await out.publish([numberedEvent(agentId, 1)]);
      const { seen, consumer } = collect();
      await eventually(() => seen.length >= 1);
      await consumer.stop();
      await makeTopics(withoutExpired, 1, [`${withoutExpired.topic}.dead`]);
      const later = collect();
      await eventually(() => later.seen.length >= 1);
      expect(numbersOf(later.seen, agentId)).toEqual([1]);
      expect(await messagesIn(`${withoutExpired.topic}.dead`, 1)).toHaveLength(1);
    });
  });
}
