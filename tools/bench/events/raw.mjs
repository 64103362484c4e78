// The parts of the way alone: what a bare producer, a bare consumer and COPY make of the same events.
import kafkajs from 'kafkajs';
import { toMessage } from '../../../libs/events/dist/kafka/message.js';

/** As many at once as a relay publishes. */
const BATCH = 500;

/** Events a second of a producer with one awaited request in flight; the few that are given are sent again and again. */
export async function produceRate(stream, events, count) {
  const producer = clientOf(stream).producer({
    createPartitioner: kafkajs.Partitioners.JavaCompatiblePartitioner,
    allowAutoTopicCreation: false,
  });
  await producer.connect();
  const startedAtMs = performance.now();
  for (let sent = 0; sent < count; sent += BATCH) {
    const from = sent % events.length;
    const messages = events.slice(from, Math.min(from + BATCH, from + count - sent)).map(toMessage);
    await producer.send({ topic: stream.topic, messages, acks: -1 });
  }
  const rate = perSecond(count, startedAtMs);
  await producer.disconnect();
  return rate;
}

/** Events a second of a consumer that only counts, once it has joined its group. */
export async function consumeRate(stream, count) {
  const consumer = clientOf(stream).consumer({ groupId: `bare-${stream.topic}`, allowAutoTopicCreation: false });
  await consumer.connect();
  await consumer.subscribe({ topics: [stream.topic], fromBeginning: true });
  let startedAtMs;
  consumer.on(consumer.events.GROUP_JOIN, () => (startedAtMs ??= performance.now()));
  let seen = 0;
  const rate = await new Promise((resolve, reject) => {
    consumer.on(consumer.events.CRASH, ({ payload }) => reject(payload.error));
    const eachBatch = async ({ batch }) => {
      seen += batch.messages.length;
      if (seen >= count) resolve(perSecond(seen, startedAtMs));
    };
    void consumer.run({ eachBatch });
  });
  await consumer.disconnect();
  return { rate, seen };
}

/** Rows a second of COPY into a table without an index. */
export async function copyRate({ sql }, file, count) {
  const startedAtMs = performance.now();
  await sql(`copy public.bare_events (event_id, agent_id, payload) from '${file}' (format binary)`);
  const rate = perSecond(count, startedAtMs);
  await sql('truncate public.bare_events');
  return rate;
}

function clientOf({ brokers }) {
  return new kafkajs.Kafka({ brokers, clientId: 'bare', logLevel: kafkajs.logLevel.NOTHING });
}

const perSecond = (count, startedAtMs) => (1_000 * count) / (performance.now() - startedAtMs);
