import { type Database, watchRows } from '@agent-wallet/platform';
import { METRICS } from '@agent-wallet/telemetry';

/** How many requests have no final answer, and since when. */
export function watchRequests(database: Database): { stop(): void } {
  return watchRows<{ open: string; age_seconds: string }>(database, {
    name: 'request-gauges',
    text: `select count(*) as open,
             coalesce(extract(epoch from clock_timestamp() - min(created_at)), 0) as age_seconds
           from requests where state <> 'final'`,
    read: ([row]) => [
      { metric: METRICS.requestsUnknown, value: Number(row?.open ?? 0) },
      { metric: METRICS.requestsUnknownOldest, value: Number(row?.age_seconds ?? 0) },
    ],
  });
}
