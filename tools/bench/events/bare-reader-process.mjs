// A bare consumer that tells what it saw and when.
import kafkajs from 'kafkajs';
import { nowMs, readTask, ready } from './part.mjs';

const { stream } = readTask('history');
const kafka = new kafkajs.Kafka({ brokers: stream.brokers, clientId: 'bare', logLevel: kafkajs.logLevel.NOTHING });
const consumer = kafka.consumer({ groupId: `bare-${stream.topic}`, allowAutoTopicCreation: false });
const joined = new Promise((resolve) => consumer.on(consumer.events.GROUP_JOIN, resolve));
await consumer.connect();
await consumer.subscribe({ topics: [stream.topic], fromBeginning: true });
await consumer.run({
  eachBatch: async ({ batch }) => {
    process.send({ atMs: nowMs(), ids: batch.messages.map(({ headers }) => headers.ce_id.toString()) });
  },
});
await joined;
await ready();
