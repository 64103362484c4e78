import { type BackgroundLoop, type Database, type Logger, type Queryable, startLoop } from '@agent-wallet/platform';
import type { EventConsumer, EventPublisher, EventRecord } from '../ports.js';

/** The event stream kept in Postgres: the default where no Kafka is configured. */

const BATCH_COUNT = 500;
const IDLE_MS = 100;

/**
 * Publishes by `events.append(uuid[], uuid[], bytea[])`, which gives positions in commit order and keeps an event id
 * once.
 */
export function createPostgresPublisher(database: { readonly pool: Queryable }): EventPublisher {
  return {
    async publish(events) {
      await database.pool.query({
        name: 'events-append',
        text: 'select events.append($1::uuid[], $2::uuid[], $3::bytea[])',
        values: [events.map((e) => e.eventId), events.map((e) => e.agentId), events.map((e) => e.payload)],
      });
    },
  };
}

interface LogRow {
  readonly position: string;
  readonly event_id: string;
  readonly agent_id: string;
  readonly payload: Buffer;
}

/**
 * Consumes from `events.log`. The position reached is kept in the consumer's own schema, in the table
 * `event_positions(consumer text primary key, position bigint)`, and moves after the batch was handled.
 */
export function createPostgresConsumer(options: {
  readonly database: Database;
  readonly consumer: string;
  readonly logger: Logger;
}): EventConsumer {
  let loop: BackgroundLoop | undefined;
  return {
    start: (handle) => {
      const round = () => consumeBatch(options.database, options.consumer, handle);
      loop ??= startLoop({ name: 'events', logger: options.logger, idleMs: IDLE_MS, round });
    },
    wake: () => loop?.wake(),
    stop: async () => loop?.stop(),
  };
}

async function consumeBatch(
  database: Database,
  consumer: string,
  handle: (events: readonly EventRecord[]) => Promise<void>,
): Promise<boolean> {
  const { rows } = await database.pool.query<LogRow>({
    name: 'events-read',
    text: `select position, event_id, agent_id, payload from events.log
           where position > coalesce((select position from event_positions where consumer = $1), 0)
           order by position limit $2`,
    values: [consumer, BATCH_COUNT],
  });
  const last = rows.at(-1);
  if (!last) return false;
  await handle(rows.map((row) => ({ eventId: row.event_id, agentId: row.agent_id, payload: row.payload })));
  await database.pool.query({
    name: 'events-advance',
    text: `insert into event_positions as p (consumer, position) values ($1, $2)
           on conflict (consumer) do update set position = greatest(p.position, excluded.position)`,
    values: [consumer, last.position],
  });
  return rows.length === BATCH_COUNT;
}
