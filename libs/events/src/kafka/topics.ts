import { sleep } from '@agent-wallet/kernel';
import type { Logger } from '@agent-wallet/platform';
import kafkajs, { type Admin, type ITopicMetadata, type KafkaJSAggregateError } from 'kafkajs';
import type { KafkaSettings } from '../settings.js';
import { deadLetterTopic } from './dead-letters.js';
import { NO_RETRIES, openKafkaClient } from './kafka-client.js';

/** A topic as it should be. */
export interface TopicPlan {
  readonly name: string;
  /** For life: with another number the events of an agent would be in two partitions, out of order. */
  readonly partitions: number;
  /** Copies of each partition, on as many brokers. */
  readonly replication: number;
  /** Kafka's own names and values. */
  readonly config: Readonly<Record<string, string>>;
}

/** Result of the creation of the topics. */
export interface TopicsReport {
  readonly created: readonly string[];
  /** Differences of existing topics from the plan, one sentence each. None was changed. */
  readonly differences: readonly string[];
}

const RETRY = { retries: 5, initialRetryTime: 200, maxRetryTime: 2_000 };
const CREATE_LIMIT_MS = 30_000;
const SERVED_LIMIT_MS = 10_000;
const SERVED_POLL_MS = 50;
const MIN_IN_SYNC = 'min.insync.replicas';

/** Plans for a cluster of fewer brokers: fewer copies, and no more of them in sync than there are. */
export function withReplication(plans: readonly TopicPlan[], replication: number): TopicPlan[] {
  return plans.map((plan) => {
    const inSync = Math.min(Number(plan.config[MIN_IN_SYNC] ?? 1), replication);
    return { ...plan, replication, config: { ...plan.config, [MIN_IN_SYNC]: String(inSync) } };
  });
}

/**
 * Creates the topics that are missing, and compares the others. Nothing that exists is changed.
 * @throws Error when the brokers cannot be reached or refuse
 */
export async function ensureTopics(
  stream: KafkaSettings,
  plans: readonly TopicPlan[],
  logger: Logger,
): Promise<TopicsReport> {
  const admin = openKafkaClient(stream, { role: 'topics', retry: RETRY, logger }).admin();
  await admin.connect();
  try {
    const existing = new Set(await admin.listTopics());
    const missing = plans.filter(({ name }) => !existing.has(name));
    if (missing.length > 0) await create(admin, missing);
    const found = plans.filter(({ name }) => existing.has(name));
    return { created: missing.map(({ name }) => name), differences: await compare(admin, found) };
  } finally {
    await admin.disconnect();
  }
}

/** Returns the missing topics of a stream. @throws Error when the brokers cannot be reached, or refuse */
export async function missingTopics(stream: KafkaSettings, logger: Logger): Promise<string[]> {
  const admin = openKafkaClient(stream, { role: 'topics', retry: NO_RETRIES, logger }).admin();
  try {
    await admin.connect();
    const existing = new Set(await admin.listTopics());
    return [stream.topic, deadLetterTopic(stream.topic)].filter((name) => !existing.has(name));
  } finally {
    await admin.disconnect();
  }
}

async function create(admin: Admin, plans: readonly TopicPlan[]): Promise<void> {
  const making = admin.createTopics({
    waitForLeaders: true,
    timeout: CREATE_LIMIT_MS,
    topics: plans.map(({ name, partitions, replication, config }) => ({
      topic: name,
      numPartitions: partitions,
      replicationFactor: replication,
      configEntries: Object.entries(config).map(([key, value]) => ({ name: key, value })),
    })),
  });
  await making.catch((error: unknown) => {
    throw error instanceof kafkajs.KafkaJSAggregateError ? new Error(reasonsOf(error), { cause: error }) : error;
  });
  for (const { name } of plans) await untilServed(admin, name);
}

function reasonsOf({ errors }: KafkaJSAggregateError): string {
  return (errors as (Error & { topic?: string })[]).map(({ topic, message }) => `${topic}: ${message}`).join('\n');
}

/**
 * Waits until the leaders know the topic. The controller knows it a moment earlier.
 * @throws Error when they still do not after 10 s
 */
async function untilServed(admin: Admin, topic: string): Promise<void> {
  const until = performance.now() + SERVED_LIMIT_MS;
  for (;;) {
    try {
      await admin.fetchTopicOffsets(topic);
      return;
    } catch (error) {
      if (performance.now() > until) throw error;
      await sleep(SERVED_POLL_MS);
    }
  }
}

async function compare(admin: Admin, plans: readonly TopicPlan[]): Promise<string[]> {
  if (plans.length === 0) return [];
  const { topics } = await admin.fetchTopicMetadata({ topics: plans.map(({ name }) => name) });
  const configs = await admin.describeConfigs({
    includeSynonyms: false,
    resources: plans.map(({ name, config }) => ({
      type: kafkajs.ConfigResourceTypes.TOPIC,
      name,
      configNames: Object.keys(config),
    })),
  });
  return plans.flatMap((plan) => {
    const metadata = topics.find(({ name }) => name === plan.name);
    const entries = configs.resources.find(({ resourceName }) => resourceName === plan.name)?.configEntries ?? [];
    const actual = new Map(entries.map(({ configName, configValue }) => [configName, configValue]));
    return [...differencesOfShape(plan, metadata), ...differencesOfConfig(plan, actual)];
  });
}

function differencesOfShape(plan: TopicPlan, metadata: ITopicMetadata | undefined): string[] {
  const partitions = metadata?.partitions.length ?? 0;
  const copies = metadata?.partitions[0]?.replicas.length ?? 0;
  return [
    ...(partitions === plan.partitions
      ? []
      : [`${plan.name} has ${partitions} partitions, not ${plan.partitions}; their number is never changed`]),
    ...(copies === plan.replication ? [] : [`${plan.name} has ${copies} copies, not ${plan.replication}`]),
  ];
}

function differencesOfConfig({ name, config }: TopicPlan, actual: ReadonlyMap<string, string>): string[] {
  return Object.entries(config).flatMap(([key, value]) =>
    actual.get(key) === value ? [] : [`${name} has ${key}=${actual.get(key) ?? ''}, not ${value}`],
  );
}
