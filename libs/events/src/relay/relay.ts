import { type BackgroundLoop, type Database, type Logger, startLoop } from '@agent-wallet/platform';
import type { EventPublisher, EventRecord } from '../ports.js';

/** The lock that makes one replica at a time the relay of a schema, so that order is kept. */
const RELAY_LOCK = 7_214_002;
const BATCH_COUNT = 500;
const IDLE_MS = 200;

/**
 * Moves a service's outbox to the event stream, in the order of the outbox and one awaited batch at a time. Rows are
 * deleted in the transaction that published them; a crash in between publishes them again, and consumers deduplicate.
 */
export function startRelay(database: Database, publisher: EventPublisher, logger: Logger): BackgroundLoop {
  return startLoop({ name: 'relay', logger, idleMs: IDLE_MS, round: () => relayBatch(database, publisher) });
}

interface OutboxRow {
  readonly id: string;
  readonly event_id: string;
  readonly agent_id: string;
  readonly payload: Buffer;
}

async function relayBatch(database: Database, publisher: EventPublisher): Promise<boolean> {
  if (!(await anythingDue(database))) return false;
  return database.transaction(async (tx) => {
    const lock = await tx.query<{ ours: boolean }>({
      name: 'relay-lock',
      text: 'select pg_try_advisory_xact_lock($1, hashtext($2)) as ours',
      values: [RELAY_LOCK, database.schema],
    });
    if (!lock.rows[0]?.ours) return false;
    const { rows } = await tx.query<OutboxRow>({
      name: 'relay-read',
      text: 'select id, event_id, agent_id, payload from outbox order by id limit $1',
      values: [BATCH_COUNT],
    });
    if (rows.length === 0) return false;
    await publisher.publish(rows.map(toRecord));
    await tx.query({
      name: 'relay-prune',
      text: 'delete from outbox where id = any($1::bigint[])',
      values: [rows.map((row) => row.id)],
    });
    return rows.length === BATCH_COUNT;
  });
}

async function anythingDue(database: Database): Promise<boolean> {
  const { rowCount } = await database.pool.query({ name: 'relay-due', text: 'select 1 from outbox limit 1' });
  return (rowCount ?? 0) > 0;
}

function toRecord(row: OutboxRow): EventRecord {
  return { eventId: row.event_id, agentId: row.agent_id, payload: row.payload };
}
