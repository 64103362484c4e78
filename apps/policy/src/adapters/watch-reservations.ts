import { type Database, watchRows } from '@agent-wallet/platform';
import { METRICS } from '@agent-wallet/telemetry';

interface Row {
  readonly open: string;
  readonly usd: string;
  readonly age_seconds: string;
}

/** How much is reserved and not decided, and since when. */
export function watchReservations(database: Database): { stop(): void } {
  return watchRows<Row>(database, {
    name: 'reservation-gauges',
    text: `select count(*) as open, coalesce(sum(value_usd_micros), 0) / 1000000.0 as usd,
             coalesce(extract(epoch from clock_timestamp() - min(created_at)), 0) as age_seconds
           from reservations where state = 'open'`,
    read: ([row]) => [
      { metric: METRICS.reservationsOpen, value: Number(row?.open ?? 0) },
      { metric: METRICS.reservationsOpenUsd, value: Number(row?.usd ?? 0) },
      { metric: METRICS.reservationsOldest, value: Number(row?.age_seconds ?? 0) },
    ],
  });
}
