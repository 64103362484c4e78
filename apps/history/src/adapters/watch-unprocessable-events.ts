import { type Database, watchRows } from '@agent-wallet/platform';
import { METRICS } from '@agent-wallet/telemetry';

/** Rows are kept, and a foreign client may cause any number of them. */
const MAX_COUNTED = 10_001;

/** Watches how many events were set aside, up to a cap. */
export function watchUnprocessableEvents(database: Database): { stop(): void } {
  return watchRows<{ unprocessable: string }>(database, {
    name: 'unprocessable-event-gauges',
    text: 'select count(*) as unprocessable from (select from unprocessable_events limit $1) as counted',
    values: [MAX_COUNTED],
    read: ([row]) => [{ metric: METRICS.eventsUnprocessable, value: Number(row?.unprocessable ?? 0) }],
  });
}
