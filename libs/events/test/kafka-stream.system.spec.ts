import { canRunKafka, where, openTestKafka, type TestKafka } from '@agent-wallet/testing';
import { afterAll, beforeAll, describe } from '@jest/globals';
import { describeLag } from './kafka-lag.js';
import { describeMessages } from './kafka-messages.js';
import { BROKER_STARTS_WITHIN_MS, openKafkaStream } from './kafka-support.js';
import { describeStream } from './stream-contract.js';

const describeWithKafka = where(describe, { name: 'Kafka (Java 17 and Maven)', isMet: canRunKafka() });

describeWithKafka('with a broker', () => {
  let kafka: TestKafka;
  beforeAll(async () => void (kafka = await openTestKafka()), BROKER_STARTS_WITHIN_MS);
  afterAll(() => kafka.stop());

  describeStream('Kafka', () => openKafkaStream(kafka));
  describeMessages(() => kafka);
  describeLag(() => kafka);
});
