import { type Database, watchRows } from '@agent-wallet/platform';
import { METRICS } from '@agent-wallet/telemetry';

/** How far a consumer of the stream in Postgres is behind its end. */
export function watchLag(database: Database, consumer: string): { stop(): void } {
  return watchRows<{ lag: string }>(database, {
    name: 'lag-gauges',
    text: `select coalesce((select max(position) from events.log), 0)
             - coalesce((select position from event_positions where consumer = $1), 0) as lag`,
    values: [consumer],
    read: ([row]) => [{ metric: METRICS.streamLag, value: Math.max(0, Number(row?.lag ?? 0)) }],
  });
}
