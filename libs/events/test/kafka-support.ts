import type { Logger } from '@agent-wallet/platform';
import type { TestKafka } from '@agent-wallet/testing';
import { ensureTopics, type KafkaSettings, openEventConsumer, openEventPublisher } from '../src/index.js';
import type { TestStream } from './stream-contract.js';
import { newId, silent } from './support.js';

/** Four seconds on a machine that has nothing else to do. */
export const BROKER_STARTS_WITHIN_MS = 180_000;

const PARTITIONS = 6;
/** Kafka needs none. */
const NO_DATABASE = undefined as never;

/** Topics of a test's own on a broker. */
export interface KafkaTestStream extends TestStream {
  readonly settings: KafkaSettings;
}

/** Settings for topics that no other test uses. */
export function freshSettings({ brokers }: Pick<TestKafka, 'brokers'>): KafkaSettings {
  const id = newId();
  return { kind: 'kafka', brokers: [brokers], topic: `audit-${id}`, consumerGroup: `history-${id}` };
}

/** A topic and one for its dead letters, unless other names are given. */
export async function makeTopics(
  settings: KafkaSettings,
  partitions = PARTITIONS,
  names = [settings.topic, `${settings.topic}.dead`],
): Promise<void> {
  const plan = { partitions, replication: 1, config: {} };
  await ensureTopics(
    settings,
    names.map((name) => ({ name, ...plan })),
    silent,
  );
}

/** Publishers and consumers of a stream. */
export function streamOn(settings: KafkaSettings, logger: Logger = silent): KafkaTestStream {
  return {
    settings,
    publisher: () => openEventPublisher(settings, { database: NO_DATABASE, source: 'wallet', logger }),
    consumer: () => openEventConsumer(settings, { database: NO_DATABASE, consumer: 'history', logger }),
    close: async () => {},
  };
}

/** A stream of topics of its own. */
export async function openKafkaStream(kafka: Pick<TestKafka, 'brokers'>): Promise<KafkaTestStream> {
  const settings = freshSettings(kafka);
  await makeTopics(settings);
  return streamOn(settings);
}
