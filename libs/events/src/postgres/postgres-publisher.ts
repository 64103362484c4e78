import type { Database } from '@agent-wallet/platform';
import { count, METRICS } from '@agent-wallet/telemetry';
import type { EventPublisher } from '../ports.js';
import { BATCH_BYTES, BATCH_COUNT, RELAY_LOCK } from '../relay/batch-limits.js';
import { APPENDED_CHANNEL } from './event-log-schema.js';

/**
 * Publishes to the event stream in Postgres by `events.append`, which gives positions in commit order and keeps an event
 * id once, and moves the outbox of the database's schema there by one statement. Consumers are notified after the commit: a
 * NOTIFY inside of it would make all producers take turns.
 */
export function createPostgresPublisher({ pool, schema }: Pick<Database, 'pool' | 'schema'>): Required<EventPublisher> {
  const notify = onceAtATime(async () => {
    // Lost with the connection: consumers look by themselves, too.
    await pool.query(`notify ${APPENDED_CHANNEL}`).catch(() => undefined);
  });
  return {
    async publish(events) {
      await pool.query({
        name: 'events-append',
        text: 'select events.append($1::uuid[], $2::uuid[], $3::bytea[])',
        values: [events.map((e) => e.eventId), events.map((e) => e.agentId), events.map((e) => e.payload)],
      });
      notify();
    },
    async moveOutbox() {
      const moving = pool.query<{ moved: number }>({
        name: 'events-move-outbox',
        text: 'select events.move_outbox($1, $2, $3, $4) as moved',
        values: [RELAY_LOCK, schema, BATCH_COUNT, BATCH_BYTES],
      });
      const { rows } = await moving.catch((error: unknown) => {
        count(METRICS.eventsPublishFailures);
        throw error;
      });
      const moved = rows[0]?.moved ?? 0;
      if (moved === 0) return false;
      count(METRICS.eventsPublished, { by: moved });
      notify();
      return true;
    },
  };
}

/** Runs work in the background; all requests while it runs are served by one more run. */
function onceAtATime(work: () => Promise<void>): () => void {
  let isRunning = false;
  let isAsked = false;
  const run = async (): Promise<void> => {
    isRunning = true;
    while (isAsked) {
      isAsked = false;
      await work();
    }
    isRunning = false;
  };
  return () => {
    isAsked = true;
    if (!isRunning) void run();
  };
}
