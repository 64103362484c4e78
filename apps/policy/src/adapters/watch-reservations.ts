import { type Database, watchRows } from '@agent-wallet/platform';
import { METRICS } from '@agent-wallet/telemetry';

interface Row {
  readonly open: string;
  readonly usd: string;
  readonly age_seconds: string;
  readonly uncounted_usd: string;
}

/**
 * Reads how much is reserved and undecided, since when, and how much of it the agents' sums lack. One statement reads
 * it all, so that it is of one moment. The rows are those of a partial index.
 */
export function watchReservations(database: Database): { stop(): void } {
  return watchRows<Row>(database, {
    name: 'reservation-gauges',
    text: `with of_agents as (
             select agent_id, count(*) as open, sum(value_usd_micros) as usd_micros, min(created_at) as since
             from reservations where state = 'open' group by agent_id)
           select coalesce(sum(open), 0) as open, coalesce(sum(usd_micros), 0) / 1000000.0 as usd,
             coalesce(extract(epoch from clock_timestamp() - min(since)), 0) as age_seconds,
             coalesce(sum(greatest(0, usd_micros - coalesce(reserved_usd_micros, 0))), 0) / 1000000.0 as uncounted_usd
           from of_agents left join policies using (agent_id)`,
    read: ([row]) => [
      { metric: METRICS.reservationsOpen, value: Number(row?.open ?? 0) },
      { metric: METRICS.reservationsOpenUsd, value: Number(row?.usd ?? 0) },
      { metric: METRICS.reservationsOldest, value: Number(row?.age_seconds ?? 0) },
      { metric: METRICS.reservationsUnaccounted, value: Number(row?.uncounted_usd ?? 0) },
    ],
  });
}
