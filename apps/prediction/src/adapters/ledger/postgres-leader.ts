import type { Database } from '@agent-wallet/platform';
import type { LedWork, Leader } from '../../ports/leader.js';

/** Any numbers that no other lock has. */
const LOCKS: Readonly<Record<LedWork, number>> = { settlement: 7_214_012, comparison: 7_214_013 };

/** A lock of a session: it is free again when its holder is done, or gone. */
export class PostgresLeader implements Leader {
  constructor(private readonly database: Pick<Database, 'pool' | 'schema'>) {}

  async lead<Result>(work: LedWork, round: () => Promise<Result>): Promise<Result | undefined> {
    const client = await this.database.pool.connect();
    const lock = [LOCKS[work], this.database.schema];
    let broken: Error | undefined;
    try {
      const sql = 'select pg_try_advisory_lock($1, hashtext($2)) as ours';
      // Without an answer the lock may still be granted later.
      const { rows } = await client.query<{ ours: boolean }>(sql, lock).catch((error: Error) => {
        broken = error;
        throw error;
      });
      if (!rows[0]?.ours) return undefined;
      try {
        return await round();
      } finally {
        await client.query('select pg_advisory_unlock($1, hashtext($2))', lock).catch((error: Error) => {
          broken = error;
        });
      }
    } finally {
      // A session that may still hold the lock is not used again.
      client.release(broken);
    }
  }
}
