import type { Logger } from '@agent-wallet/platform';
import kafkajs, { type Kafka, type LogEntry, type RetryOptions } from 'kafkajs';
import { readFileSync } from 'node:fs';
import type { KafkaSettings } from '../settings.js';

/** How long a connection may take, and an answer. */
const CONNECT_LIMIT_MS = 5_000;
const RESPONSE_LIMIT_MS = 8_000;

/** A client that tries once: its user decides how often and for how long, and counts the tries. */
export const NO_RETRIES: RetryOptions = { retries: 0, initialRetryTime: 50, maxRetryTime: 50 };

/**
 * A client of the cluster. It connects when it is used.
 * @param role what the brokers' logs call it
 * @throws Error when the file of authorities cannot be read
 */
export function openKafkaClient(
  { brokers, tls, login }: KafkaSettings,
  { role, retry, logger }: { role: string; retry: RetryOptions; logger: Logger },
): Kafka {
  return new kafkajs.Kafka({
    clientId: `agent-wallet-${role}`,
    brokers: [...brokers],
    connectionTimeout: CONNECT_LIMIT_MS,
    authenticationTimeout: CONNECT_LIMIT_MS,
    requestTimeout: RESPONSE_LIMIT_MS,
    retry,
    ...(tls ? { ssl: tls.caPath ? { ca: [readAuthorities(tls.caPath)] } : true } : {}),
    ...(login ? { sasl: saslOf(login) } : {}),
    logLevel: kafkajs.logLevel.WARN,
    logCreator: () => (entry) => write(logger, entry),
  });
}

/** The password is asked for by each connection that is made: it may have changed. */
function saslOf({ username, password }: NonNullable<KafkaSettings['login']>) {
  return {
    mechanism: 'scram-sha-512' as const,
    username,
    get password() {
      return password.reveal();
    },
  };
}

function readAuthorities(path: string): string {
  try {
    return readFileSync(path, 'utf8');
  } catch (cause) {
    throw new Error(`KAFKA_TLS_CA_PATH cannot be read: ${path}`, { cause });
  }
}

/**
 * The library calls every lost connection an error and logs it once per try; whether something is wrong is for us to
 * say. Of its entries only words are passed on, never what it was sending.
 */
function write(logger: Logger, { namespace, level, log }: LogEntry): void {
  const { message, broker, groupId, error } = log;
  const details = { namespace, broker: textOf(broker), groupId: textOf(groupId), reason: textOf(error), message };
  if (level === kafkajs.logLevel.ERROR)
    logger.info({ event: 'kafka_client.error_reported', ...details }, 'Kafka client reported an error');
  else logger.debug({ event: 'kafka_client.message_reported', ...details }, 'Kafka client reported a message');
}

function textOf(value: unknown): string | undefined {
  return typeof value === 'string' ? value : undefined;
}
