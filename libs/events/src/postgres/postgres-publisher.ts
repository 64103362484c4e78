import type { Queryable } from '@agent-wallet/platform';
import type { EventPublisher } from '../ports.js';
import { APPENDED_CHANNEL } from './event-log-schema.js';

/**
 * Publishes to the event stream in Postgres by `events.append(uuid[], uuid[], bytea[])`, which gives positions in commit
 * order and keeps an event id once. Consumers are told after the commit: a NOTIFY inside of it would make all producers
 * take turns.
 */
export function createPostgresPublisher(database: { readonly pool: Queryable }): EventPublisher {
  const notify = onceAtATime(async () => {
    // Lost with the connection: consumers look by themselves, too.
    await database.pool.query(`notify ${APPENDED_CHANNEL}`).catch(() => undefined);
  });
  return {
    async publish(events) {
      await database.pool.query({
        name: 'events-append',
        text: 'select events.append($1::uuid[], $2::uuid[], $3::bytea[])',
        values: [events.map((e) => e.eventId), events.map((e) => e.agentId), events.map((e) => e.payload)],
      });
      notify();
    },
  };
}

/** Runs work in the background; whatever asks for it while it runs is served by one more run. */
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
