import type { Queryable } from '@agent-wallet/platform';
import { count, METRICS } from '@agent-wallet/telemetry';
import type { DepositTiming } from '../domain/deposits/timing.js';
import type { UnreadableStore, UnreadableTransaction } from '../ports/unreadable-store.js';

const NOTE = `
  insert into unreadable_transactions (signature, slot, retry_at)
  select g.signature, g.slot, clock_timestamp() + $3::bigint * interval '1 millisecond'
  from unnest($1::text[], $2::bigint[]) as g (signature, slot)
  on conflict do nothing returning signature`;

// The pause after a failure is set beforehand, so that a replica that dies leaves nothing to be read at once.
const CLAIM = `
  with due as (
    select signature from unreadable_transactions where retry_at <= (select clock_timestamp()) order by retry_at limit $1
    for update skip locked)
  update unreadable_transactions u set retries = u.retries + 1,
    retry_at = clock_timestamp() + least($2::bigint * 2 ^ least(u.retries + 1, 30), $3::bigint) * interval '1 millisecond'
  from due where u.signature = due.signature returning u.signature`;

const REMOVE = 'delete from unreadable_transactions where signature = any($1::text[])';

/** The table `unreadable_transactions`. */
export class PostgresUnreadableStore implements UnreadableStore {
  constructor(
    private readonly pool: Queryable,
    private readonly timing: Pick<DepositTiming, 'unreadableRetryMs' | 'maxUnreadableRetryMs'>,
  ) {}

  async note(transactions: readonly UnreadableTransaction[]): Promise<string[]> {
    if (transactions.length === 0) return [];
    const { rows } = await this.pool.query<{ signature: string }>({
      name: 'unreadable-note',
      text: NOTE,
      values: [
        transactions.map(({ signature }) => signature),
        transactions.map(({ slot }) => slot),
        this.timing.unreadableRetryMs,
      ],
    });
    if (rows.length > 0) count(METRICS.depositsUnreadable, { by: rows.length });
    return rows.map(({ signature }) => signature);
  }

  async claim(limit: number): Promise<string[]> {
    const { unreadableRetryMs, maxUnreadableRetryMs } = this.timing;
    const { rows } = await this.pool.query<{ signature: string }>({
      name: 'unreadable-claim',
      text: CLAIM,
      values: [limit, unreadableRetryMs, maxUnreadableRetryMs],
    });
    return rows.map(({ signature }) => signature);
  }

  async remove(signatures: readonly string[]): Promise<void> {
    if (signatures.length === 0) return;
    await this.pool.query({ name: 'unreadable-remove', text: REMOVE, values: [signatures] });
  }
}
