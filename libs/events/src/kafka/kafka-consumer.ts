import { waitAtMost, withTimeout } from '@agent-wallet/kernel';
import type { Logger, ServiceName } from '@agent-wallet/platform';
import { count, METRICS } from '@agent-wallet/telemetry';
import type { Consumer } from 'kafkajs';
import type { EventConsumer, EventRecord } from '../ports.js';
import type { KafkaSettings } from '../settings.js';
import { BatchMerger } from './batch-merger.js';
import { openDeadLetters } from './dead-letters.js';
import { openKafkaClient } from './kafka-client.js';
import { openKafkaSender } from './kafka-sender.js';
import { watchKafkaLag } from './watch-kafka-lag.js';

/** A member that dies is missed after this time; its partitions wait that long. */
const SESSION_LIMIT_MS = 10_000;
const HEARTBEAT_MS = 1_000;
/** Time limit for a member to return when partitions are reassigned. */
const REBALANCE_LIMIT_MS = 30_000;
/** Brokers answer a fetch at once when there is something; this is for when there is nothing. */
const FETCH_WAIT_MS = 500;
/** More than any of our topics has partitions: all that was fetched is merged. */
const PARTITIONS_AT_ONCE = 256;
/** A consumer that has fetched nothing for so long, not even nothing, is stuck. */
const SILENCE_LIMIT_MS = 60_000;
const WATCH_EVERY_MS = 5_000;
const PAUSE_MS = 1_000;
const CLOSE_LIMIT_MS = 5_000;
/** Tries within one session; then another one begins. */
const SESSION_RETRY = { retries: 4, initialRetryTime: 100, maxRetryTime: 1_000 };

/** Options of a Kafka consumer. */
interface KafkaConsumerOptions {
  readonly service: ServiceName;
  readonly logger: Logger;
  /** Follows the stream beside the consumer whose record it is: messages that are not events are left to that one. */
  readonly isFollower?: boolean;
}

type Handle = (events: readonly EventRecord[]) => Promise<void>;

/**
 * Creates a member of a consumer group. It receives its share of the partitions in order, each message at least once.
 * Offsets are committed after the messages are handled. It reconnects until it is stopped.
 */
export function createKafkaConsumer(stream: KafkaSettings, options: KafkaConsumerOptions): EventConsumer {
  // Made here, so that settings that cannot work stop the start.
  const member = new Member(stream, options);
  let running: Promise<void> | undefined;
  return {
    start: (handle) => void (running ??= member.run(handle)),
    // Brokers push new events themselves.
    wake: () => undefined,
    stop: async () => {
      member.stop();
      await running;
    },
  };
}

class Member {
  private readonly kafka;
  private readonly letters;
  private readonly stopped: Promise<void>;
  private isStopped = false;
  /** Partitions that were last assigned to this member. */
  private partitions: readonly number[] = [];
  stop!: () => void;

  constructor(
    private readonly stream: KafkaSettings,
    private readonly options: KafkaConsumerOptions,
  ) {
    this.kafka = openKafkaClient(stream, { role: options.service, retry: SESSION_RETRY, logger: options.logger });
    this.letters = openKafkaSender(stream, options);
    this.stopped = new Promise((resolve) => {
      this.stop = () => {
        this.isStopped = true;
        resolve();
      };
    });
  }

  /** Runs one session after the other. Never rejects. */
  async run(handle: Handle): Promise<void> {
    const gauges = watchKafkaLag(this.kafka, {
      stream: this.stream,
      service: this.options.service,
      partitions: () => this.partitions,
    });
    while (!this.isStopped) {
      try {
        await this.session(handle);
      } catch (err) {
        count(METRICS.streamRejoins, { service: this.options.service });
        this.options.logger.warn({ event: 'event_stream.disconnected', err }, 'Event stream lost; rejoining');
        await waitAtMost(PAUSE_MS, this.stopped);
      }
    }
    gauges.stop();
    await this.letters.close();
  }

  /** Resolves when stopped, rejects when the library gives up or nothing moves. */
  private async session(handle: Handle): Promise<void> {
    const { topic, consumerGroup: groupId } = this.stream;
    const { logger, service } = this.options;
    const consumer = this.kafka.consumer({
      groupId,
      sessionTimeout: SESSION_LIMIT_MS,
      heartbeatInterval: HEARTBEAT_MS,
      rebalanceTimeout: REBALANCE_LIMIT_MS,
      maxWaitTimeInMs: FETCH_WAIT_MS,
      allowAutoTopicCreation: false,
      // Its own restart keeps what it knew of the brokers. Any crash ends the session.
      retry: { ...SESSION_RETRY, restartOnFailure: async () => false },
    });
    const deadLetters = this.options.isFollower
      ? { put: async () => undefined }
      : openDeadLetters(topic, this.letters, { service, logger });
    const merger = new BatchMerger({ handle, deadLetters, logger });
    const trouble = watchOver(consumer);
    consumer.on(consumer.events.GROUP_JOIN, ({ payload: { memberAssignment } }) => {
      this.partitions = memberAssignment[topic] ?? [];
      const partitions = this.partitions.length;
      logger.info({ event: 'event_stream.joined', topic, groupId, partitions }, 'Event stream joined');
    });
    const begun = begin(consumer, topic, merger);
    try {
      await Promise.race([begun.then(() => trouble.found), trouble.found, this.stopped]);
    } finally {
      trouble.stop();
      // First it fetches no more, then what is being handled is waited for, then it leaves. A broker that is away is not
      // waited for, and a beginning that succeeds late is undone.
      const gone = consumer.disconnect();
      void begun.then(() => consumer.disconnect()).catch(() => undefined);
      await merger.end();
      await withTimeout(CLOSE_LIMIT_MS, gone).catch(() => undefined);
    }
  }
}

async function begin(consumer: Consumer, topic: string, merger: BatchMerger): Promise<void> {
  await consumer.connect();
  await consumer.subscribe({ topics: [topic], fromBeginning: true });
  await consumer.run({
    autoCommit: false,
    eachBatchAutoResolve: false,
    partitionsConsumedConcurrently: PARTITIONS_AT_ONCE,
    eachBatch: (payload) => merger.take(payload),
  });
}

/** Finds out when a consumer died, or lives and does nothing. */
function watchOver(consumer: Consumer): { readonly found: Promise<never>; stop(): void } {
  let lastMoveMs = performance.now();
  const move = () => void (lastMoveMs = performance.now());
  const { FETCH_START, HEARTBEAT, GROUP_JOIN, CRASH } = consumer.events;
  for (const event of [FETCH_START, HEARTBEAT, GROUP_JOIN]) consumer.on(event, move);
  let timer: NodeJS.Timeout | undefined;
  const found = new Promise<never>((_, reject) => {
    consumer.on(CRASH, ({ payload }) => reject(payload.error));
    timer = setInterval(() => {
      if (performance.now() - lastMoveMs > SILENCE_LIMIT_MS) reject(new Error('the consumer does nothing any more'));
    }, WATCH_EVERY_MS);
  });
  found.catch(() => undefined);
  return { found, stop: () => clearInterval(timer) };
}
