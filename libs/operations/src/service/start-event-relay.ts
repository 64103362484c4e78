import { createPostgresPublisher, startRelay } from '@agent-wallet/events';
import { type BackgroundLoop, type Database, type Logger } from '@agent-wallet/platform';
import type { Checkpoint, CheckpointName } from '../checkpoints.js';

/** Brings the outbox of a service to the event stream, and passes a checkpoint before each batch. */
export function startEventRelay(
  database: Database,
  { place, checkpoint, logger }: { place: CheckpointName; checkpoint: Checkpoint; logger: Logger },
): BackgroundLoop {
  const publisher = createPostgresPublisher(database);
  const publish: typeof publisher.publish = async (events) => {
    await checkpoint(place);
    await publisher.publish(events);
  };
  return startRelay(database, { publish }, logger);
}
