import type { Logger } from '@agent-wallet/platform';
import kafkajs, { type Kafka, type LogEntry, type RetryOptions } from 'kafkajs';
import { readFileSync } from 'node:fs';
import type { KafkaSettings } from '../settings.js';

/** Time limit of a connection attempt, in milliseconds. */
const CONNECT_LIMIT_MS = 5_000;
const RESPONSE_LIMIT_MS = 8_000;

/** A client that tries once: its user decides how often and for how long, and counts the tries. */
export const NO_RETRIES: RetryOptions = { retries: 0, initialRetryTime: 50, maxRetryTime: 50 };

/**
 * Opens a client of the cluster. It connects on first use.
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

/** Returns the login. Each new connection reads the password again, because it may have changed. */
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
 * Writes an entry of the library's log. The library logs every lost connection as an error once per try; this project
 * decides what is wrong. Only words are passed on, never the data it was sending.
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
