import { type Database, databaseError } from '@agent-wallet/platform';
import type { UnprocessableEventPage, UnprocessableEventStore } from '../ports/unprocessable-event-store.js';

interface Row {
  readonly event_id: string;
  readonly agent_id: string;
  readonly error: string;
  readonly recorded_at: Date;
  readonly total: string;
}

/** Reads the table `unprocessable_events`. */
export class PostgresUnprocessableEventStore implements UnprocessableEventStore {
  constructor(private readonly database: Database) {}

  async latest(limit: number): Promise<UnprocessableEventPage> {
    try {
      const { rows } = await this.database.pool.query<Row>({
        name: 'unprocessable-events',
        text: `select event_id, agent_id, error, recorded_at, count(*) over () as total from unprocessable_events
               order by recorded_at desc, event_id limit $1`,
        values: [limit],
      });
      const events = rows.map(({ event_id: eventId, agent_id: agentId, error: reason, recorded_at: recordedAt }) => ({
        eventId,
        agentId,
        reason,
        recordedAtMs: recordedAt.getTime(),
      }));
      return { events, total: Number(rows[0]?.total ?? 0) };
    } catch (error) {
      throw databaseError(error);
    }
  }
}
