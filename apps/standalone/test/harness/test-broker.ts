import {
  ensureTopics,
  type EventRecord,
  type KafkaSettings,
  type TopicPlan,
  withReplication,
} from '@agent-wallet/events';
import { createLogger } from '@agent-wallet/platform';
import { eventually, openTestKafka, type TestKafka } from '@agent-wallet/testing';
import { randomUUID } from 'node:crypto';
import { readFile } from 'node:fs/promises';
import path from 'node:path';
import kafkajs from 'kafkajs';

const TOPICS = path.join(import.meta.dirname, '../../../../deploy/kafka/topics.json');

const READ_WITHIN_MS = 60_000;

/** What services of a deployment make of its brokers when nothing else is said. */
const settingsFor = (brokers: string): KafkaSettings => ({
  kind: 'kafka',
  brokers: brokers.split(','),
  topic: 'audit.v1',
  consumerGroup: 'history',
});

/** Starts a broker with the topics of a deployment. */
export async function openBroker(): Promise<TestKafka> {
  const kafka = await openTestKafka();
  const { topics } = JSON.parse(await readFile(TOPICS, 'utf8')) as { topics: TopicPlan[] };
  await ensureTopics(settingsFor(kafka.brokers), withReplication(topics, 1), createLogger('test', 'silent'));
  return kafka;
}

/** Reads the topic of events beside history, from its beginning. */
export class TopicReader {
  readonly #admin;
  readonly #consumer;
  readonly #events = new Map<string, EventRecord>();
  readonly #ends = new Map<number, bigint>();

  private constructor(private readonly settings: KafkaSettings) {
    // A broker that is away comes back.
    const retry = { retries: 1_000, initialRetryTime: 100, maxRetryTime: 1_000 };
    const kafka = new kafkajs.Kafka({ brokers: [...settings.brokers], logLevel: kafkajs.logLevel.NOTHING, retry });
    this.#admin = kafka.admin();
    this.#consumer = kafka.consumer({ groupId: `test-${randomUUID()}`, maxWaitTimeInMs: 100 });
  }

  static async open(brokers: string): Promise<TopicReader> {
    const reader = new TopicReader(settingsFor(brokers));
    await reader.#start();
    return reader;
  }

  /** All events that the topic has, each once where it came first: those of one agent are in its order. */
  async events(): Promise<readonly EventRecord[]> {
    const ends = await this.#admin.fetchTopicOffsets(this.settings.topic);
    const isRead = () => ends.every(({ partition, high }) => (this.#ends.get(partition) ?? 0n) >= BigInt(high));
    await eventually(async () => isRead(), Boolean, READ_WITHIN_MS);
    return [...this.#events.values()];
  }

  async close(): Promise<void> {
    await Promise.all([this.#consumer.disconnect(), this.#admin.disconnect()]);
  }

  async #start(): Promise<void> {
    await Promise.all([this.#admin.connect(), this.#consumer.connect()]);
    await this.#consumer.subscribe({ topics: [this.settings.topic], fromBeginning: true });
    await this.#consumer.run({
      eachMessage: async ({ partition, message: { key, value, headers, offset } }) => {
        const eventId = String(headers?.['ce_id']);
        const event = { eventId, agentId: String(key), payload: value ?? Buffer.alloc(0) };
        if (!this.#events.has(eventId)) this.#events.set(eventId, event);
        this.#ends.set(partition, BigInt(offset) + 1n);
      },
    });
  }
}
