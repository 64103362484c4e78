import type { Database } from '@agent-wallet/platform';
import type { AttemptKey } from '../domain/attempt.js';
import type { HeadLog } from '../ports/head-log.js';
import { IS_KNOWN } from './recovery-statements.js';

const KEEP = '1 day';
/** So long before and after an attempt heads are kept for as long as it is open. */
const KEEP_AROUND_OPEN = '1 hour';
/** A node may have claimed a slot that was yet to come: the lowest of so many is believed. */
const BELIEVED_OF = 30;

/**
 * Block heights in the schema `policy`, for all replicas. Where the database was restored and that was not detected yet,
 * nothing is noted or removed: the last notes say since when it has forgotten things.
 */
export class PostgresHeadLog implements HeadLog {
  constructor(private readonly database: Database) {}

  async observe(read: () => Promise<{ readonly blockHeight: number; readonly slot: number }>): Promise<void> {
    const { pool } = this.database;
    // As text: a Date would cut the microseconds off.
    const { rows } = await pool.query<{ asked_at: string }>('select policy.now()::text as asked_at');
    const { blockHeight, slot } = await read();
    await pool.query({
      name: 'policy-note-head',
      text: `insert into chain_heads as h (height, slot, first_known_at, last_asked_at)
             select $1, $2, policy.now(), $3::timestamptz
             where exists (${IS_KNOWN})
             on conflict (height) do update set last_asked_at = greatest(h.last_asked_at, excluded.last_asked_at)`,
      values: [blockHeight, slot, rows[0]!.asked_at],
    });
    await pool.query({
      name: 'policy-forget-heads',
      text: `with old as materialized (
               select created_at from reservations
               where state = 'open' and created_at < (select policy.now()) - $1::interval + $2::interval)
             delete from chain_heads h
             where h.last_asked_at < (select policy.now()) - $1::interval and exists (${IS_KNOWN})
               and not exists (
                 select from old
                 where created_at between h.first_known_at - $2::interval and h.last_asked_at + $2::interval)`,
      values: [KEEP, KEEP_AROUND_OPEN],
    });
  }

  async slotBefore({ operationId, step, attempt }: AttemptKey): Promise<number> {
    const { rows } = await this.database.pool.query<{ slot: string | null }>({
      name: 'policy-slot-before',
      text: `select min(slot) as slot from (
               select h.slot from chain_heads h, reservations r
               where r.operation_id = $1 and r.step = $2 and r.attempt = $3 and h.first_known_at < r.created_at
               order by h.first_known_at desc limit $4) as known`,
      values: [operationId, step, attempt, BELIEVED_OF],
    });
    return Number(rows[0]?.slot ?? 0);
  }

  async slotAfter(height: number): Promise<number> {
    // The same the other way round: the highest of so many is believed, and fewer are not.
    const { rows } = await this.database.pool.query<{ slot: string | null }>({
      name: 'policy-slot-after',
      text: `select max(slot) as slot from (
               select slot from chain_heads where height > $1 order by height limit $2) as known
             having count(*) = $2`,
      values: [height, BELIEVED_OF],
    });
    return Number(rows[0]?.slot ?? Infinity);
  }
}
