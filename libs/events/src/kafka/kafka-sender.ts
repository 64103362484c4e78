import { sleep, withTimeout } from '@agent-wallet/kernel';
import type { Logger, ServiceName } from '@agent-wallet/platform';
import { count, METRICS } from '@agent-wallet/telemetry';
import kafkajs, { type Kafka, type Message, type Producer } from 'kafkajs';
import type { KafkaSettings } from '../settings.js';
import { NO_RETRIES, openKafkaClient } from './kafka-client.js';
import { requestsOf } from './requests.js';

/** All of one call. A relay holds its transaction meanwhile, which may idle for 30 s. */
const SEND_LIMIT_MS = 15_000;
/** For so long a try that failed is made again at once: longer than a leader's change, no longer than one would wait. */
const RETRY_FOR_MS = 3_000;
/** Time that brokers wait for each other's copies. */
const COPY_LIMIT_MS = 6_000;
const FIRST_PAUSE_MS = 100;
const LONGEST_PAUSE_MS = 1_000;
const CLOSE_LIMIT_MS = 3_000;

/** Sends messages until all in-sync replicas have them, or gives up. */
export interface KafkaSender {
  /**
   * Sends one awaited request at a time, because several at once arrive in any order. Must not be called while a call
   * is in progress.
   * @throws Error when the brokers have not taken them after tries of 3 s, in any case after 15 s; they may have some,
   *   and get them again
   */
  send(topic: string, messages: readonly Message[]): Promise<void>;
  close(): Promise<void>;
}

/** Options of a sender. */
export interface KafkaSenderOptions {
  /** Whose messages they are; brokers' logs and metrics name it. */
  readonly service: ServiceName;
  readonly logger: Logger;
}

/** Opens a sender; it connects when it first sends. */
export function openKafkaSender(stream: KafkaSettings, options: KafkaSenderOptions): KafkaSender {
  const kafka = openKafkaClient(stream, { role: options.service, retry: NO_RETRIES, logger: options.logger });
  return new ProducerSender(kafka, options.service);
}

class ProducerSender implements KafkaSender {
  private producer: Producer | undefined;

  constructor(
    private readonly kafka: Kafka,
    private readonly service: ServiceName,
  ) {}

  async send(topic: string, messages: readonly Message[]): Promise<void> {
    const startedAtMs = performance.now();
    for (const request of requestsOf(messages)) await this.sendRequest(topic, request, startedAtMs);
  }

  async close(): Promise<void> {
    const old = this.producer;
    this.producer = undefined;
    if (old) await withTimeout(CLOSE_LIMIT_MS, old.disconnect()).catch(() => undefined);
  }

  private async sendRequest(topic: string, messages: Message[], startedAtMs: number): Promise<void> {
    const tookMs = () => performance.now() - startedAtMs;
    for (let pauseMs = FIRST_PAUSE_MS; ; pauseMs = Math.min(2 * pauseMs, LONGEST_PAUSE_MS)) {
      try {
        return await withTimeout(SEND_LIMIT_MS - tookMs(), this.attempt(topic, messages));
      } catch (error) {
        // Another producer next time: what this one still does is none of its business.
        void this.close();
        if (tookMs() > RETRY_FOR_MS || !isWorthRetrying(error)) throw error;
        count(METRICS.streamRetries, { service: this.service });
        await sleep(pauseMs);
      }
    }
  }

  private async attempt(topic: string, messages: Message[]): Promise<void> {
    const producer = (this.producer ??= this.kafka.producer({
      createPartitioner: kafkajs.Partitioners.JavaCompatiblePartitioner,
      allowAutoTopicCreation: false,
    }));
    await producer.connect();
    if (producer !== this.producer) {
      await producer.disconnect();
      throw new Error('it was abandoned meanwhile');
    }
    await producer.send({ topic, messages, acks: -1, timeout: COPY_LIMIT_MS });
  }
}

/**
 * Reports whether a retry may succeed. A final rejection by the brokers, such as a wrong password, is not retried at
 * once.
 */
function isWorthRetrying(error: unknown): boolean {
  const cause = error instanceof Error && error.name === 'KafkaJSNumberOfRetriesExceeded' ? error.cause : error;
  return !(cause instanceof kafkajs.KafkaJSNonRetriableError);
}
