// History as it follows the stream, without its gRPC surface. Tells the ids of each batch and when all could see it.
import { openEventConsumer } from '@agent-wallet/events';
import { RecordEvents } from '../../../apps/history/dist/application/record-events.js';
import { PostgresEventStore } from '../../../apps/history/dist/adapters/postgres-event-store.js';
import { logger, nowMs, readTask, ready } from './part.mjs';
import { PlainEventStore } from './plain-event-store.mjs';

const { database, stream, isPlain, tellsBatches } = readTask('history');
const store = isPlain ? new PlainEventStore(database) : new PostgresEventStore(database);
const recording = new RecordEvents(store, logger);
const consumer = openEventConsumer(stream, { database, consumer: 'history', logger });
consumer.start(async (batch) => {
  await recording.execute(batch);
  if (tellsBatches) process.send({ atMs: nowMs(), ids: batch.map(({ eventId }) => eventId) });
});
await ready();
