import { type Database, watchRows } from '@agent-wallet/platform';
import { METRICS } from '@agent-wallet/telemetry';

interface Row {
  readonly mails: string;
  readonly mails_age_seconds: string;
  readonly evictions: string;
  readonly evictions_age_seconds: string;
}

/** Codes that wait for the mail server, and evictions that policy does not know yet: how many, and since when. */
export function watchOwners(database: Database): { stop(): void } {
  return watchRows<Row>(database, {
    name: 'owner-gauges',
    text: `select mails, mails_age_seconds, evictions, evictions_age_seconds from (
             select count(*) as mails,
               coalesce(extract(epoch from clock_timestamp() - min(o.created_at)), 0) as mails_age_seconds
             from mail_queue q join otps o using (otp_id)) as m, (
             select count(*) as evictions,
               coalesce(extract(epoch from clock_timestamp() - min(noted_at)), 0) as evictions_age_seconds
             from evictions) as e`,
    read: ([row]) => [
      { metric: METRICS.mailsQueued, value: Number(row?.mails ?? 0) },
      { metric: METRICS.mailsQueuedOldest, value: Number(row?.mails_age_seconds ?? 0) },
      { metric: METRICS.evictionsUnreported, value: Number(row?.evictions ?? 0) },
      { metric: METRICS.evictionsUnreportedOldest, value: Number(row?.evictions_age_seconds ?? 0) },
    ],
  });
}
