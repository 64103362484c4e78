import type { KafkaMessage } from 'kafkajs';
import type { Logger, ServiceName } from '@agent-wallet/platform';
import { count, METRICS } from '@agent-wallet/telemetry';
import type { KafkaSender } from './kafka-sender.js';

/** A message that is not an event of this system. */
interface DeadLetter {
  readonly message: KafkaMessage;
  readonly partition: number;
  readonly reason: string;
}

/** Destination of messages that can never be handled, so that they do not block the others. */
export interface DeadLetters {
  /** Resolves once they are kept. */
  put(letters: readonly DeadLetter[]): Promise<void>;
}

/** Returns the name of the topic for a topic's dead letters. */
export function deadLetterTopic(topic: string): string {
  return `${topic}.dead`;
}

/** Opens the topic `<topic>.dead`. Dead letters are sent there unchanged, with headers for reason and origin. */
export function openDeadLetters(
  topic: string,
  sender: KafkaSender,
  { service, logger }: { service: ServiceName; logger: Logger },
): DeadLetters {
  return {
    async put(letters) {
      const messages = letters.map(({ message: { key, value, headers, offset }, partition, reason }) => ({
        key,
        value,
        headers: {
          ...headers,
          dead_reason: reason,
          dead_topic: topic,
          dead_partition: String(partition),
          dead_offset: offset,
        },
      }));
      await sender.send(deadLetterTopic(topic), messages);
      count(METRICS.deadLetters, { service, by: letters.length });
      for (const { message, partition, reason } of letters) {
        const fields = { event: 'message.dead_lettered', topic, partition, offset: message.offset, reason } as const;
        logger.error(fields, 'Message is not an event; sent to the dead-letter topic');
      }
    },
  };
}
