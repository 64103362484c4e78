import type { Clock } from '@agent-wallet/kernel';
import { type Database, watchRows } from '@agent-wallet/platform';
import { METRICS } from '@agent-wallet/telemetry';
import { NETWORK_KNOWN_MS, REMEMBERED_MS } from '../domain/notices/notice.js';
import { OWNER_IDLE_MS } from '../domain/owner-session.js';
import { KEY_RETENTION_MS } from '../ports/idempotency-store.js';
import { query, timeParameter } from './query.js';

const DAY_MS = 24 * 3_600_000;
const BATCH = 2_000;
/** Time for which a request that was executed is known: its operation may be open for long. */
const EXECUTED_KEPT_MS = 90 * DAY_MS;

/** Rows that are deleted once they are over: their condition, and the time for which they are kept after it. */
interface Expired {
  readonly table: string;
  readonly condition: string;
  readonly afterMs: number;
}

const EXPIRED: readonly Expired[] = [
  { table: 'sessions', condition: 'expires_at <= $1', afterMs: DAY_MS },
  { table: 'owner_sessions', condition: 'used_at <= $1', afterMs: OWNER_IDLE_MS },
  { table: 'otps', condition: 'expires_at <= $1', afterMs: DAY_MS },
  { table: 'idempotency_records', condition: `state = 'final' and finished_at <= $1`, afterMs: KEY_RETENTION_MS },
  { table: 'prepared_requests', condition: 'executed_at is null and expires_at <= $1', afterMs: DAY_MS },
  { table: 'prepared_requests', condition: 'expires_at <= $1', afterMs: EXECUTED_KEPT_MS },
  { table: 'connections', condition: 'expires_at <= $1', afterMs: DAY_MS },
  { table: 'rate_windows', condition: 'resets_at <= $1', afterMs: DAY_MS },
  // What waits for a digest longer than that had no room in the queue all the time.
  { table: 'notices', condition: 'noted_at <= $1', afterMs: REMEMBERED_MS },
  { table: 'login_networks', condition: 'seen_at <= $1', afterMs: NETWORK_KNOWN_MS },
  { table: 'login_pools', condition: 'resets_at <= $1', afterMs: DAY_MS },
  { table: 'notice_networks', condition: 'seen_at <= $1', afterMs: NETWORK_KNOWN_MS },
  { table: 'notice_mailboxes', condition: 'digest_due_at is null and day_began_at <= $1', afterMs: DAY_MS },
  // A block is remembered for a day after its end, then the next one is short again.
  { table: 'login_blocks', condition: 'coalesce(blocked_until, touched_at) <= $1', afterMs: DAY_MS },
];

/**
 * Deletes what is over, and final responses after their retention. Returns whether there is more.
 * Rows that others have locked stay for the next time: they may be counted again, together with rows that were taken here
 * already.
 */
export async function purgeExpired(database: Database, clock: Clock): Promise<boolean> {
  let more = false;
  for (const { table, condition, afterMs } of EXPIRED) {
    const gone = await query(database.pool, {
      name: `purge-${table}-${afterMs}`,
      text: `delete from ${table} where ctid in (
               select ctid from ${table} where ${condition} limit ${BATCH} for update skip locked) returning 1`,
      values: [timeParameter(clock.nowMs() - afterMs)],
    });
    more ||= gone.length === BATCH;
  }
  return more;
}

/** Exports as gauges the number of requests without a final response, and the age of the oldest. */
export function watchRequests(database: Database): { stop(): void } {
  return watchRows<{ open: string; age_seconds: string }>(database, {
    name: 'request-gauges',
    text: `select count(*) as open,
             coalesce(extract(epoch from clock_timestamp() - min(created_at)), 0) as age_seconds
           from idempotency_records where state <> 'final'`,
    read: ([row]) => [
      { metric: METRICS.requestsPending, value: Number(row?.open ?? 0) },
      { metric: METRICS.requestsPendingOldest, value: Number(row?.age_seconds ?? 0) },
    ],
  });
}
