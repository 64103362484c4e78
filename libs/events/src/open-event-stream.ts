import type { Database, Logger, ServiceName } from '@agent-wallet/platform';
import { createKafkaConsumer } from './kafka/kafka-consumer.js';
import { createKafkaPublisher } from './kafka/kafka-publisher.js';
import type { EventConsumer, EventPublisher } from './ports.js';
import { createPostgresConsumer } from './postgres/postgres-consumer.js';
import { createPostgresPublisher } from './postgres/postgres-publisher.js';
import type { EventStreamSettings } from './settings.js';

/** A publisher with connections of its own. */
export interface OpenEventPublisher extends EventPublisher {
  /** Closes the publisher. Call it when nothing publishes any more. */
  close(): Promise<void>;
}

/**
 * Opens a service's publisher for the stream in the settings. Brokers may be unavailable at the start: events wait in
 * the outbox.
 * @throws Error when the settings name a file that cannot be read
 */
export function openEventPublisher(
  stream: EventStreamSettings,
  { database, source, logger }: { database: Database; source: ServiceName; logger: Logger },
): OpenEventPublisher {
  if (stream.kind === 'postgres') return { ...createPostgresPublisher(database), close: async () => {} };
  return createKafkaPublisher(stream, { service: source, logger });
}

/**
 * Opens the consumer for the stream in the settings.
 * @param options.consumer who consumes: the name under which Postgres keeps the position; with Kafka, the group is a
 *   setting
 * @param options.isFollower whether it follows beside the consumer whose record it is: it deletes and sets aside nothing
 * @throws Error when the settings name a file that cannot be read
 */
export function openEventConsumer(
  stream: EventStreamSettings,
  { consumer, ...options }: { database: Database; consumer: ServiceName; logger: Logger; isFollower?: boolean },
): EventConsumer {
  if (stream.kind === 'postgres') {
    return createPostgresConsumer({ ...options, consumer, retentionHours: stream.retentionHours });
  }
  return createKafkaConsumer(stream, { ...options, service: consumer });
}
