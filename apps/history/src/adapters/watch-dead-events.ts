import { type Database, watchRows } from '@agent-wallet/platform';
import { METRICS } from '@agent-wallet/telemetry';

/** How many events were set aside. */
export function watchDeadEvents(database: Database): { stop(): void } {
  return watchRows<{ dead: string }>(database, {
    name: 'dead-event-gauges',
    text: 'select count(*) as dead from dead_events',
    read: ([row]) => [{ metric: METRICS.eventsUnprocessable, value: Number(row?.dead ?? 0) }],
  });
}
