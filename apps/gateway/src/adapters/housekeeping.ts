import type { Clock } from '@agent-wallet/kernel';
import { type Database, watchRows } from '@agent-wallet/platform';
import { METRICS } from '@agent-wallet/telemetry';
import { NETWORK_KNOWN_MS, REMEMBERED_MS } from '../domain/notices/notice.js';
import { OWNER_IDLE_MS } from '../domain/owner-session.js';
import { query, timeParameter } from './query.js';

const DAY_MS = 24 * 3_600_000;
const BATCH = 2_000;
/** Time after the end of its operation for which a repeat of a key is refused. */
const SPENT_KEYS_KEPT_MS = 180 * DAY_MS;

/** Time for which an executed request can be repeated: less than its key is known, so that a repeat never pays again. */
const EXECUTED_KEPT_MS = SPENT_KEYS_KEPT_MS / 2;

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
  { table: 'spent_keys', condition: 'finished_at <= $1', afterMs: SPENT_KEYS_KEPT_MS },
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
 * Deletes what is over, and final responses after their retention, whose keys are spent then. Returns whether there is more.
 * Rows that others have locked stay for the next time: they may be counted again, together with rows that were taken here
 * already.
 */
export async function purgeExpired(database: Database, clock: Clock, responseRetentionMs: number): Promise<boolean> {
  let more = await spendKeys(database, clock, responseRetentionMs);
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

/** Removes records whose responses were kept for their time, and notes their keys in the same statement. */
async function spendKeys(database: Database, clock: Clock, responseRetentionMs: number): Promise<boolean> {
  const [row] = await query<{ gone: string }>(database.pool, {
    name: 'spend-keys',
    text: `with gone as (
             delete from idempotency_records where ctid in (
               select ctid from idempotency_records where state = 'final' and finished_at <= $1
               limit ${BATCH} for update skip locked)
             returning agent_id, idempotency_key, finished_at),
           spent as (
             insert into spent_keys (agent_id, key_hash, finished_at)
               select agent_id, sha256(convert_to(idempotency_key, 'UTF8')), finished_at from gone
               where idempotency_key is not null on conflict do nothing)
           select count(*) as gone from gone`,
    values: [timeParameter(clock.nowMs() - responseRetentionMs)],
  });
  return Number(row!.gone) === BATCH;
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
