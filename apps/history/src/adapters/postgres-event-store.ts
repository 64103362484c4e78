import type { KeepPlace } from '@agent-wallet/events';
import type { Database, Queryable } from '@agent-wallet/platform';
import type { UnprocessableEvent, EventStore, ReadableEvent } from '../ports/event-store.js';
import { appendEvents } from './append-events.js';
import { APPEND_LOCK } from './locks.js';
import { ChainEnds } from './chain-ends.js';
import { applyEvents } from './write-records.js';

/** The tables `events`, `transactions`, `dropped_transactions`, `settled_values` and `unprocessable_events`, written in sets. */
export class PostgresEventStore implements EventStore {
  readonly #ends = new ChainEnds();

  constructor(private readonly database: Database) {}

  async append(
    events: readonly ReadableEvent[],
    unprocessable: readonly UnprocessableEvent[],
    keepPlace?: KeepPlace,
  ): Promise<void> {
    await this.database.transaction(async (tx) => {
      const isNew = await appendEvents(tx, events, this.#ends);
      await applyEvents(
        tx,
        events.filter(({ eventId }) => isNew.has(eventId)),
      );
      if (unprocessable.length > 0) await insertUnprocessable(tx, unprocessable);
      await keepPlace?.(tx);
    }, APPEND_LOCK);
  }
}

async function insertUnprocessable(tx: Queryable, unprocessable: readonly UnprocessableEvent[]): Promise<void> {
  await tx.query(
    `insert into unprocessable_events (event_id, agent_id, payload, error)
     select * from unnest($1::text[], $2::text[], $3::bytea[], $4::text[]) on conflict (event_id) do nothing`,
    [
      unprocessable.map((event) => event.eventId),
      unprocessable.map((event) => event.agentId),
      unprocessable.map((event) => event.payload),
      unprocessable.map((event) => event.error),
    ],
  );
}
