import { createCertificates } from '@agent-wallet/embedded';
import { Secret } from '@agent-wallet/kernel';
import { createLogger } from '@agent-wallet/platform';
import { canRunKafka, where, eventually, openTestKafka, type TestKafka } from '@agent-wallet/testing';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import { PassThrough } from 'node:stream';
import type { EventRecord, KafkaSettings } from '../src/index.js';
import { BROKER_STARTS_WITHIN_MS, freshSettings, makeTopics, streamOn } from './kafka-support.js';
import { newId, numberedEvent, numbersOf } from './support.js';

const describeWithKafka = where(describe, { name: 'Kafka (Java 17 and Maven)', isMet: canRunKafka() });
const PASSWORD = 'marked-secret-9d1f';

describeWithKafka('a broker with TLS and SCRAM', () => {
  const folder = mkdtempSync(path.join(os.tmpdir(), 'kafka-tls-'));
  let kafka: TestKafka;
  let secured: KafkaSettings;

  beforeAll(async () => {
    const certificates = await createCertificates(folder, ['kafka']);
    const {
      caPath,
      server: { certPath, keyPath },
    } = certificates.kafka;
    const keystorePath = path.join(folder, 'kafka.pem');
    writeFileSync(keystorePath, readFileSync(keyPath, 'utf8') + readFileSync(certPath, 'utf8'));
    kafka = await openTestKafka({ secure: { keystorePath, username: 'wallet', password: PASSWORD } });
    const open = freshSettings(kafka);
    await makeTopics(open);
    const login = { username: 'wallet', password: new Secret(PASSWORD) };
    secured = { ...open, brokers: [kafka.secureBrokers], tls: { caPath }, login };
  }, BROKER_STARTS_WITHIN_MS);
  afterAll(async () => {
    await kafka.stop();
    rmSync(folder, { recursive: true });
  });

  /** Publishes with these settings and a log of its own. */
  async function publish(settings: KafkaSettings) {
    const log = new PassThrough();
    const stream = streamOn(settings, createLogger('test', 'trace', log));
    const publisher = stream.publisher();
    const agentId = newId();
    const outcome = await publisher.publish([numberedEvent(agentId, 1)]).then(
      () => 'published',
      (error: unknown) => String(error),
    );
    await publisher.close();
    return { agentId, outcome, log: String(log.read() ?? '') };
  }

  it('lets in who knows the password, to publish and to consume', async () => {
    const { agentId, outcome, log } = await publish(secured);
    expect(outcome).toBe('published');
    const seen: EventRecord[] = [];
    const consumer = streamOn(secured).consumer();
    consumer.start(async (events) => void seen.push(...events));
    await eventually(() => numbersOf(seen, agentId).length > 0);
    await consumer.stop();
    expect(log).not.toContain(PASSWORD);
  });

  it('refuses a wrong password at once, and no log says one', async () => {
    const wrong = { username: 'wallet', password: new Secret('marked-wrong-77') };
    const { outcome, log } = await publish({ ...secured, login: wrong });
    expect(outcome).toMatch(/[Aa]uthentication/);
    expect(outcome + log).not.toMatch(/marked-/);
  });

  it('is refused when its certificate has an unknown issuer', async () => {
    const { outcome } = await publish({ ...secured, tls: {} });
    expect(outcome).toMatch(/certificate/);
  });

  it('is nothing for who speaks without TLS', async () => {
    const { outcome } = await publish({ ...secured, tls: undefined, login: undefined });
    expect(outcome).not.toBe('published');
  });

  it('stops the start of a service when the authorities cannot be read', () => {
    const stream = streamOn({ ...secured, tls: { caPath: path.join(folder, 'nowhere.pem') } });
    expect(() => stream.publisher()).toThrow('KAFKA_TLS_CA_PATH cannot be read');
    expect(() => stream.consumer()).toThrow('KAFKA_TLS_CA_PATH cannot be read');
  });
});
