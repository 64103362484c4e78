import type { Database } from '@agent-wallet/platform';
import type { HeadLog } from '../ports/ledger.js';

const KEEP = '1 day';

/** Block heights in the schema `policy`, for all replicas. */
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
             values ($1, $2, policy.now(), $3::timestamptz)
             on conflict (height) do update set last_asked_at = greatest(h.last_asked_at, excluded.last_asked_at)`,
      values: [blockHeight, slot, rows[0]!.asked_at],
    });
    await pool.query({
      name: 'policy-forget-heads',
      text: 'delete from chain_heads where last_asked_at < policy.now() - $1::interval',
      values: [KEEP],
    });
  }
}
