import { readSettings } from '@agent-wallet/platform';
import { describe, expect, it } from '@jest/globals';
import { inspect } from 'node:util';
import { EVENT_STREAM_VARIABLES, eventStreamSettings } from './settings.js';

const read = (env: Record<string, string>) => eventStreamSettings(readSettings(EVENT_STREAM_VARIABLES, env));
const KAFKA_BROKERS = 'one:9092, two:9093';
const SECURE = { KAFKA_BROKERS, KAFKA_TLS: 'true', KAFKA_SASL_USERNAME: 'wallet', KAFKA_SASL_PASSWORD: 'hush' };

describe('the settings of the event stream', () => {
  it('mean Postgres when there are none', () => {
    expect(read({})).toEqual({ kind: 'postgres' });
    expect(read({ EVENT_LOG_RETENTION_HOURS: '1' })).toEqual({ kind: 'postgres', retentionHours: 1 });
  });

  it('mean Kafka, one topic and the group of history when there are brokers', () => {
    expect(read({ KAFKA_BROKERS })).toEqual({
      kind: 'kafka',
      brokers: ['one:9092', 'two:9093'],
      topic: 'audit.v1',
      consumerGroup: 'history',
    });
  });

  it('take TLS with authorities of one’s own, and a login that prints no password', () => {
    const settings = read({ ...SECURE, KAFKA_TLS_CA_PATH: '/ca.pem', KAFKA_AUDIT_TOPIC: 'audit.test' });
    expect(settings).toMatchObject({ tls: { caPath: '/ca.pem' }, login: { username: 'wallet' }, topic: 'audit.test' });
    expect(inspect(settings, { depth: 9 }) + JSON.stringify(settings)).not.toContain('hush');
  });

  it.each([
    [{ EVENT_LOG_RETENTION_HOURS: '0' }, 'EVENT_LOG_RETENTION_HOURS: must be between 1 and'],
    [{ KAFKA_BROKERS, EVENT_LOG_RETENTION_HOURS: '1' }, 'EVENT_LOG_RETENTION_HOURS is set, and KAFKA_BROKERS is, too'],
    [{ KAFKA_TLS: 'true' }, 'KAFKA_TLS is set, but KAFKA_BROKERS is not'],
    [{ KAFKA_AUDIT_TOPIC: 'a' }, 'KAFKA_AUDIT_TOPIC is set, but KAFKA_BROKERS is not'],
    [{ KAFKA_BROKERS: 'one' }, 'KAFKA_BROKERS: must be host:port'],
    [{ KAFKA_BROKERS: ' , ' }, 'KAFKA_BROKERS: must be host:port'],
    [{ KAFKA_BROKERS: 'https://one:9092' }, 'KAFKA_BROKERS: must be host:port'],
    [{ KAFKA_BROKERS, KAFKA_AUDIT_TOPIC: 'audit v1' }, 'KAFKA_AUDIT_TOPIC: must be the name of a topic'],
    [{ KAFKA_BROKERS, KAFKA_TLS: 'yes' }, 'KAFKA_TLS: must be true or false'],
    [{ KAFKA_BROKERS, KAFKA_TLS_CA_PATH: '/ca.pem' }, 'KAFKA_TLS_CA_PATH is set, but KAFKA_TLS is not true'],
    [{ KAFKA_BROKERS, KAFKA_TLS: 'false', KAFKA_TLS_CA_PATH: '/ca.pem' }, 'but KAFKA_TLS is not true'],
    [{ ...SECURE, KAFKA_SASL_PASSWORD: '' }, 'KAFKA_SASL_USERNAME is set, but KAFKA_SASL_PASSWORD is not'],
    [{ ...SECURE, KAFKA_SASL_USERNAME: '' }, 'KAFKA_SASL_PASSWORD is set, but KAFKA_SASL_USERNAME is not'],
    [{ ...SECURE, KAFKA_TLS: '' }, 'KAFKA_SASL_USERNAME is set, but KAFKA_TLS is not true'],
  ])('refuse %j', (env: Record<string, string>, problem) => {
    expect(() => read(env)).toThrow(problem);
    expect(() => read(env)).not.toThrow('hush');
  });
});
