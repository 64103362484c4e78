import type { EventPublisher } from '../ports.js';
import type { KafkaSettings } from '../settings.js';
import { type KafkaSenderOptions, openKafkaSender } from './kafka-sender.js';
import { toMessage } from './message.js';

/**
 * Publishes to the topic of events, in their order. A publish that fails may be stored in part, and is stored again by
 * the next.
 */
export function createKafkaPublisher(
  stream: KafkaSettings,
  options: KafkaSenderOptions,
): EventPublisher & { close(): Promise<void> } {
  const sender = openKafkaSender(stream, options);
  return {
    publish: (events) => sender.send(stream.topic, events.map(toMessage)),
    close: () => sender.close(),
  };
}
