import { type OpenEventPublisher, startRelay } from '@agent-wallet/events';
import { type BackgroundLoop, type Database, type Logger, stopInOrder } from '@agent-wallet/platform';
import type { Checkpoint, CheckpointName } from '../runtime/checkpoints.js';

/** What a relay of operations needs. */
export interface EventRelayOptions {
  /** Closed when the relay stops. */
  readonly publisher: OpenEventPublisher;
  /** The checkpoint that is passed before each batch. */
  readonly place: CheckpointName;
  readonly checkpoint: Checkpoint;
  readonly logger: Logger;
}

/** Brings the outbox of a service to the event stream. */
export function startEventRelay(
  database: Database,
  { publisher, place, checkpoint, logger }: EventRelayOptions,
): BackgroundLoop {
  const relay = startRelay(database, publisher, logger, { beforeBatch: () => checkpoint(place) });
  const stop = () =>
    stopInOrder(
      () => relay.stop(),
      () => publisher.close(),
    );
  return { wake: () => relay.wake(), stop };
}
