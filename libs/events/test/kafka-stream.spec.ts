import { canRunKafka, openTestKafka, type TestKafka } from '@agent-wallet/testing';
import { afterAll, beforeAll, describe } from '@jest/globals';
import { openKafkaStream } from './kafka-support.js';
import { describeStream } from './stream-contract.js';

const describeWithKafka = canRunKafka() ? describe : describe.skip;

describeWithKafka('with a broker', () => {
  let kafka: TestKafka;
  beforeAll(async () => void (kafka = await openTestKafka()));
  afterAll(() => kafka.stop());

  describeStream('Kafka', () => openKafkaStream(kafka));
});
