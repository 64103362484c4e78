// History as it follows the stream, without its gRPC surface.
import { openEventConsumer } from '@agent-wallet/events';
import { PostgresEventStore } from '../../apps/history/dist/adapters/postgres-event-store.js';
import { RecordEvents } from '../../apps/history/dist/application/record-events.js';
import { logger, readTask, ready } from './part.mjs';

const { database, stream } = readTask('history');
const recording = new RecordEvents(new PostgresEventStore(database), logger);
openEventConsumer(stream, { database, consumer: 'history', logger }).start((batch) => recording.execute(batch));
await ready();
