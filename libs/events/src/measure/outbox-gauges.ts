import { type Database, watchRows } from '@agent-wallet/platform';
import { METRICS } from '@agent-wallet/telemetry';

/** A relay that is down lets an outbox grow, and a scrape must not read all of it. */
const MAX_COUNTED = 10_001;

/**
 * Measures the number of events in an outbox, up to a cap, and the age of the oldest. Their IDs are UUIDv7, which begin with the
 * time.
 */
export function watchOutbox(database: Database): { stop(): void } {
  return watchRows<{ size: string; age_seconds: string | null }>(database, {
    name: 'outbox-gauges',
    text: `select (select count(*) from (select from outbox order by id limit $1) as waiting) as size,
             (select extract(epoch from clock_timestamp())
                - ('x' || left(replace(event_id::text, '-', ''), 12))::bit(48)::bigint / 1000.0
              from outbox order by id limit 1) as age_seconds`,
    values: [MAX_COUNTED],
    read: ([row]) => [
      { metric: METRICS.outboxSize, value: Number(row?.size ?? 0) },
      { metric: METRICS.outboxOldest, value: Math.max(0, Number(row?.age_seconds ?? 0)) },
    ],
  });
}
