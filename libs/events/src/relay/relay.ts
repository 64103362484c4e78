import { type BackgroundLoop, type Database, type Logger, type Queryable, startLoop } from '@agent-wallet/platform';
import { onOutboxWritten } from '../outbox/written.js';
import { publishMeasured } from '../measure/measured-batches.js';
import { watchOutbox } from '../measure/outbox-gauges.js';
import type { EventPublisher, EventRecord } from '../ports.js';
import { AwaitedPublisher } from './awaited-publisher.js';

/** The lock that makes one replica at a time the relay of a schema, so that order is kept. */
const RELAY_LOCK = 7_214_002;
const BATCH_COUNT = 500;
/** Of payloads; a larger event goes alone. */
const BATCH_BYTES = 1_048_576;
/** For what nobody in this process has written, and for wake-ups that were lost. */
const IDLE_MS = 200;
/** Well below the time for which a session may be idle in a transaction. */
const PUBLISH_WITHIN_MS = 20_000;

/** What a test may replace. */
export interface RelayLimits {
  readonly publishWithinMs?: number;
  readonly idleMs?: number;
}

/**
 * Moves a service's outbox to the event stream, in the order of the outbox, one awaited batch at a time: at most 500
 * events and 1 MiB. It is woken by every commit that wrote to the outbox through this database. Rows are deleted in a
 * transaction that commits after they were published; a crash in between publishes them again, and consumers
 * deduplicate. Of several replicas one at a time has the lock.
 */
export function startRelay(
  database: Database,
  publisher: EventPublisher,
  logger: Logger,
  { publishWithinMs = PUBLISH_WITHIN_MS, idleMs = IDLE_MS }: RelayLimits = {},
): BackgroundLoop {
  const awaited = new AwaitedPublisher(publisher, publishWithinMs);
  const loop = startLoop({ name: 'relay', logger, idleMs, round: () => relayBatch(database, awaited) });
  const forget = onOutboxWritten(database.pool, () => loop.wake());
  const gauges = watchOutbox(database);
  const stop = () => {
    gauges.stop();
    forget();
    return loop.stop();
  };
  return { wake: () => loop.wake(), stop };
}

interface OutboxRow {
  readonly id: string;
  readonly event_id: string;
  readonly agent_id: string;
  readonly payload: Buffer;
}

/** @returns whether anything was published: what came meanwhile is then looked for at once */
async function relayBatch(database: Database, publisher: AwaitedPublisher): Promise<boolean> {
  if (publisher.isBusy || !(await anythingDue(database))) return false;
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

async function anythingDue(database: Database): Promise<boolean> {
  const { rowCount } = await database.pool.query({ name: 'relay-due', text: 'select 1 from outbox limit 1' });
  return (rowCount ?? 0) > 0;
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
