import type { Database, Queryable } from '@agent-wallet/platform';
import { publishMeasured } from '../measure/measured-batches.js';
import type { EventRecord } from '../ports.js';
import type { AwaitedPublisher } from './awaited-publisher.js';
import { BATCH_BYTES, BATCH_COUNT, RELAY_LOCK } from './batch-limits.js';

interface OutboxRow {
  readonly id: string;
  readonly event_id: string;
  readonly agent_id: string;
  readonly payload: Buffer;
}

/**
 * Publishes the oldest events of an outbox, and deletes them in a transaction that commits afterwards: a crash in between
 * publishes them again, and consumers deduplicate.
 * @returns whether anything was published
 */
export function publishOutbox(database: Database, publisher: AwaitedPublisher): Promise<boolean> {
  return database.transaction(async (tx) => {
    const lock = await tx.query<{ ours: boolean }>({
      name: 'relay-lock',
      text: 'select pg_try_advisory_xact_lock($1, hashtext($2)) as ours',
      values: [RELAY_LOCK, database.schema],
    });
    if (!lock.rows[0]?.ours) return false;
    // A statement of its own: its snapshot is younger than the lock.
    const rows = await readBatch(tx);
    if (rows.length === 0) return false;
    const batch = rows.map(toRecord);
    await publishMeasured(batch, () => publisher.publish(batch));
    await tx.query({
      name: 'relay-prune',
      text: 'delete from outbox where id = any($1::bigint[])',
      values: [rows.map((row) => row.id)],
    });
    return true;
  });
}

async function readBatch(tx: Queryable): Promise<readonly OutboxRow[]> {
  const { rows } = await tx.query<OutboxRow>({
    name: 'relay-read',
    text: `select id, event_id, agent_id, payload from (
             select *, sum(octet_length(payload)) over (order by id) as bytes, row_number() over (order by id) as n
             from (select id, event_id, agent_id, payload from outbox order by id limit $1) as first) as counted
           where bytes <= $2 or n = 1 order by id`,
    values: [BATCH_COUNT, BATCH_BYTES],
  });
  return rows;
}

function toRecord(row: OutboxRow): EventRecord {
  return { eventId: row.event_id, agentId: row.agent_id, payload: row.payload };
}
