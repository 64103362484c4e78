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

/** Rows that are deleted once they are over: the time at which they were, and for how long they are kept after it. */
interface Expired {
  readonly table: string;
  /** Expression of an index. */
  readonly endedAt: string;
  /** Condition of a partial index, or of the few rows that are kept for longer. */
  readonly where?: string;
  readonly afterMs: number;
}

const EXPIRED: readonly Expired[] = [
  { table: 'sessions', endedAt: 'expires_at', afterMs: DAY_MS },
  { table: 'owner_sessions', endedAt: 'used_at', afterMs: OWNER_IDLE_MS },
  { table: 'otps', endedAt: 'expires_at', afterMs: DAY_MS },
  { table: 'idempotency_records', endedAt: 'finished_at', where: `state = 'final'`, afterMs: KEY_RETENTION_MS },
  { table: 'prepared_requests', endedAt: 'expires_at', where: 'executed_at is null', afterMs: DAY_MS },
  { table: 'prepared_requests', endedAt: 'expires_at', afterMs: EXECUTED_KEPT_MS },
  { table: 'connections', endedAt: 'expires_at', afterMs: DAY_MS },
  { table: 'rate_windows', endedAt: 'resets_at', afterMs: DAY_MS },
  // What waits for a digest longer than that had no room in the queue all the time.
  { table: 'notices', endedAt: 'noted_at', afterMs: REMEMBERED_MS },
  { table: 'login_networks', endedAt: 'seen_at', afterMs: NETWORK_KNOWN_MS },
  { table: 'login_pools', endedAt: 'resets_at', afterMs: DAY_MS },
  { table: 'notice_networks', endedAt: 'seen_at', afterMs: NETWORK_KNOWN_MS },
  { table: 'notice_mailboxes', endedAt: 'day_began_at', where: 'digest_due_at is null', afterMs: DAY_MS },
  // A block is remembered for a day after its end, then the next one is short again.
  { table: 'login_blocks', endedAt: 'coalesce(blocked_until, touched_at)', afterMs: DAY_MS },
];

/**
 * Deletes what is over, and final responses after their retention. Returns whether there is more.
 * Rows that others have locked stay for the next time: they may be counted again, together with rows that were taken here
 * already.
 */
export async function purgeExpired(database: Database, clock: Clock): Promise<boolean> {
  let more = false;
  for (const { table, endedAt, where = 'true', afterMs } of EXPIRED) {
    // The order keeps the planner on the index: without it, a walk through the rows that are kept looks cheap to it.
    const gone = await query(database.pool, {
      name: `purge-${table}-${afterMs}`,
      text: `delete from ${table} where ctid in (
               select ctid from ${table} where ${where} and ${endedAt} <= $1
               order by ${endedAt} limit ${BATCH} for update skip locked) returning 1`,
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
