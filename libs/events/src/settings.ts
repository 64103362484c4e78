import type { Secret } from '@agent-wallet/kernel';
import { setting, SettingsError, type SettingsOf } from '@agent-wallet/platform';

/** Settings of the event stream. Without Kafka, it is the service's own Postgres. */
export type EventStreamSettings = PostgresStreamSettings | KafkaSettings;

/** The stream that Postgres keeps. */
export interface PostgresStreamSettings {
  readonly kind: 'postgres';
  /** Time that the log keeps handled events; 168 when omitted. */
  readonly retentionHours?: number;
}

/** Connection settings of a Kafka cluster. */
export interface KafkaSettings {
  readonly kind: 'kafka';
  /** `host:port` of some brokers; they name the others. */
  readonly brokers: readonly string[];
  /** The topic of all events; what cannot be read goes to `<topic>.dead`. */
  readonly topic: string;
  /** The group whose members share the work of one consumer. */
  readonly consumerGroup: string;
  /** Absent: no encryption. */
  readonly tls?: KafkaTls | undefined;
  /** Absent: the brokers ask for no name. */
  readonly login?: KafkaLogin | undefined;
}

/** TLS to the brokers. */
export interface KafkaTls {
  /** PEM file of the authorities that the brokers' certificates come from; the system's when omitted. */
  readonly caPath?: string | undefined;
}

/** Name and password for SCRAM-SHA-512. */
export interface KafkaLogin {
  readonly username: string;
  readonly password: Secret<string>;
}

const DEFAULT_TOPIC = 'audit.v1';
const DEFAULT_GROUP = 'history';

/** Names that Kafka allows for a topic, with room for `.dead`. */
const TOPIC_NAME = /^[\w.-]{1,240}$/;
const BROKER = /^[^\s/,]+:\d{1,5}$/;

/** The variables of the event stream, the same in every service, to be read with the service's own. */
export const EVENT_STREAM_VARIABLES = {
  EVENT_LOG_RETENTION_HOURS: setting.integer({ min: 1, max: 87_600 }).optional(),
  KAFKA_BROKERS: setting
    .text()
    .transform((text) => text.split(',').flatMap((broker) => broker.trim() || []))
    .refine((brokers) => brokers.length > 0 && brokers.every((b) => BROKER.test(b)), 'must be host:port,host:port,…')
    .optional(),
  KAFKA_AUDIT_TOPIC: setting.text().regex(TOPIC_NAME, 'must be the name of a topic').optional(),
  KAFKA_CONSUMER_GROUP: setting.text().optional(),
  KAFKA_TLS: setting.flag().optional(),
  KAFKA_TLS_CA_PATH: setting.path().optional(),
  KAFKA_SASL_USERNAME: setting.text().optional(),
  KAFKA_SASL_PASSWORD: setting.secret().optional(),
};

type EventStreamVariables = SettingsOf<typeof EVENT_STREAM_VARIABLES>;

/** Returns the event stream that the variables describe. @throws SettingsError when they contradict each other */
export function eventStreamSettings(env: EventStreamVariables): EventStreamSettings {
  const problems = contradictions(env);
  if (problems.length > 0) throw new SettingsError(problems);
  const { EVENT_LOG_RETENTION_HOURS: retentionHours } = env;
  if (!env.KAFKA_BROKERS) return { kind: 'postgres', ...(retentionHours === undefined ? {} : { retentionHours }) };
  const { KAFKA_SASL_USERNAME: username, KAFKA_SASL_PASSWORD: password } = env;
  return {
    kind: 'kafka',
    brokers: env.KAFKA_BROKERS,
    topic: env.KAFKA_AUDIT_TOPIC ?? DEFAULT_TOPIC,
    consumerGroup: env.KAFKA_CONSUMER_GROUP ?? DEFAULT_GROUP,
    tls: env.KAFKA_TLS ? { caPath: env.KAFKA_TLS_CA_PATH } : undefined,
    login: username && password ? { username, password } : undefined,
  };
}

/**
 * Returns the contradictions between variables. An incomplete setting is a mistake: it would silently select another
 * stream, or one without encryption or login.
 */
function contradictions(env: EventStreamVariables): string[] {
  if (!env.KAFKA_BROKERS) {
    const names = Object.keys(EVENT_STREAM_VARIABLES) as (keyof EventStreamVariables)[];
    const kafkas = names.filter((name) => name !== 'EVENT_LOG_RETENTION_HOURS');
    return kafkas.flatMap((name) => (env[name] === undefined ? [] : [`${name} is set, but KAFKA_BROKERS is not`]));
  }
  const problems = [];
  // The topic has a retention of its own.
  if (env.EVENT_LOG_RETENTION_HOURS) problems.push('EVENT_LOG_RETENTION_HOURS is set, and KAFKA_BROKERS is, too');
  const { KAFKA_SASL_USERNAME: username, KAFKA_SASL_PASSWORD: password } = env;
  if (env.KAFKA_TLS_CA_PATH && !env.KAFKA_TLS) problems.push('KAFKA_TLS_CA_PATH is set, but KAFKA_TLS is not true');
  if (username && !password) problems.push('KAFKA_SASL_USERNAME is set, but KAFKA_SASL_PASSWORD is not');
  if (password && !username) problems.push('KAFKA_SASL_PASSWORD is set, but KAFKA_SASL_USERNAME is not');
  // What SCRAM sends can be tried against a dictionary by a reader of the connection.
  if (username && !env.KAFKA_TLS) problems.push('KAFKA_SASL_USERNAME is set, but KAFKA_TLS is not true');
  return problems;
}
