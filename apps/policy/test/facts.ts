import { auditV1 } from '@agent-wallet/contracts';
import type { PolicyDatabase } from './database.js';

export type Fact = NonNullable<auditV1.AuditEvent['fact']>;

/** Returns the facts of the outbox about an agent or an owner that work wrote, while the relay is held back. */
export async function factsDuring(
  database: PolicyDatabase,
  subject: string,
  work: () => Promise<unknown>,
): Promise<Fact[]> {
  const client = await database.policy.pool.connect();
  try {
    await client.query('select pg_advisory_lock(7214002, hashtext($1))', ['policy']);
    const before = await client.query<{ id: string }>('select coalesce(max(id), 0) as id from outbox');
    await work();
    const { rows } = await client.query<{ payload: Buffer }>(
      'select payload from outbox where agent_id = $1 and id > $2 order by id',
      [subject, before.rows[0]!.id],
    );
    return rows.map(({ payload }) => auditV1.AuditEvent.decode(payload).fact!);
  } finally {
    await client.query('select pg_advisory_unlock_all()');
    client.release();
  }
}
