import type { Checkpoint, CheckpointScope } from '@agent-wallet/contracts/audit';
import type { Database, Queryable } from '@agent-wallet/platform';
import type { CheckpointStore, Growth, LogGrowth } from '../ports/checkpoint-store.js';
import { LOCKS } from './locks.js';

/** Events of the log that one stretch has, unless a single batch of it has more. */
const STRETCH_EVENTS = 5_000;

/** The table `checkpoints`. */
export class PostgresCheckpointStore implements CheckpointStore {
  constructor(private readonly database: Database) {}

  async extend(sign: (claims: readonly Growth[]) => Promise<readonly Checkpoint[]>): Promise<boolean> {
    if (!(await hasGrown(this.database.pool))) return false;
    return this.database.transaction(async (tx) => {
      const { rows } = await tx.query<{ ours: boolean }>({
        name: 'checkpoint-lock',
        text: 'select pg_try_advisory_xact_lock($1, hashtext($2)) as ours',
        values: [LOCKS.checkpoint, this.database.schema],
      });
      if (!rows[0]?.ours) return false;
      const growth = await readGrowth(tx);
      if (growth.claims.length === 0) return false;
      await keep(tx, await sign(growth.claims));
      return growth.hasMore;
    });
  }
}

const SIGNED = `select coalesce((select size from checkpoints where scope = 'log' order by size desc limit 1), 0) as size`;

async function hasGrown(database: Queryable): Promise<boolean> {
  const { rowCount } = await database.query({
    name: 'checkpoint-due',
    text: `select from log_batches where last_position > (${SIGNED}) order by last_position limit 1`,
  });
  return rowCount === 1;
}

interface GrowthRow {
  readonly scope: CheckpointScope;
  readonly size: string;
  readonly hash: Buffer;
  readonly has_more: boolean;
}

/**
 * Reads the next stretch, which ends with a batch. Chains are read as they are and may be longer than in the stretch.
 * Those are not signed again in their turn, unless they have grown again.
 */
async function readGrowth(tx: Queryable): Promise<LogGrowth> {
  const { rows } = await tx.query<GrowthRow>({
    name: 'checkpoint-growth',
    text: `with signed as (${SIGNED}),
           stretch as (
             select coalesce(
               (select max(last_position) from log_batches where last_position > size and last_position <= size + $1),
               (select min(last_position) from log_batches where last_position > size)) as until, size as since
             from signed),
           grown as (
             select distinct agent_id from events, stretch where position > since and position <= until)
           select 'log' as scope, until as size, b.hash,
             until < (select max(last_position) from log_batches) as has_more
           from stretch join log_batches b on b.last_position = until
           union all
           select 'agent:' || agent_id, h.size, h.hash, false
           from grown cross join lateral (
             select agent_seq as size, hash from events e where e.agent_id = grown.agent_id
             order by agent_seq desc limit 1) as h
           where not exists (select from checkpoints c where c.scope = 'agent:' || agent_id and c.size = h.size)`,
    values: [STRETCH_EVENTS],
  });
  const claims = rows.map(({ scope, size, hash }) => ({ scope, size: Number(size), rootHash: hash }));
  return { claims, hasMore: rows.some((row) => row.has_more) };
}

async function keep(tx: Queryable, checkpoints: readonly Checkpoint[]): Promise<void> {
  await tx.query({
    name: 'checkpoints-keep',
    text: `insert into checkpoints (scope, size, root_hash, signed_at_ms, signature, key_id)
           select * from unnest($1::text[], $2::bigint[], $3::bytea[], $4::bigint[], $5::bytea[], $6::text[])
           on conflict (scope, size) do nothing`,
    values: [
      checkpoints.map(({ scope }) => scope),
      checkpoints.map(({ size }) => size),
      checkpoints.map(({ rootHash }) => rootHash),
      checkpoints.map(({ signedAtMs }) => signedAtMs),
      checkpoints.map(({ signature }) => signature),
      checkpoints.map(({ keyId }) => keyId),
    ],
  });
}
