import { type Database, watchRows } from '@agent-wallet/platform';
import { METRICS } from '@agent-wallet/telemetry';

/** Watches how many events were set aside. */
export function watchUnprocessableEvents(database: Database): { stop(): void } {
  return watchRows<{ unprocessable: string }>(database, {
    name: 'unprocessable-event-gauges',
    text: 'select count(*) as unprocessable from unprocessable_events',
    read: ([row]) => [{ metric: METRICS.eventsUnprocessable, value: Number(row?.unprocessable ?? 0) }],
  });
}
