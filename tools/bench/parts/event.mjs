// Bare part: the way of an event from outbox to record, in sets.
import { randomBytes, randomUUID } from 'node:crypto';
import { isPostgres } from './bench-database.mjs';

const BATCH = 500;
const PAYLOAD = randomBytes(380);

/**
 * As many a transfer as the product wrote in this run. Writing to the outbox counts without a commit, because that is
 * the fact's own. Both ends count.
 */
export function openEvent({ database, eventsPerTransfer }) {
  const call = async () => {
    await database.transaction(writeOutbox);
    await database.transaction(relay);
    await database.transaction(record);
  };
  return { name: 'event, outbox to record', times: eventsPerTransfer, units: BATCH, call, isPeer: isPostgres };
}

async function writeOutbox(tx) {
  const agentId = randomUUID();
  for (let i = 0; i < BATCH; i += 1) {
    await tx.query({
      name: 'write',
      text: 'insert into outbox (event_id, agent_id, payload) values ($1, $2, $3)',
      values: [randomUUID(), agentId, PAYLOAD],
    });
  }
}

async function relay(tx) {
  const { rows } = await tx.query({ name: 'outbox', text: 'select * from outbox order by id limit 500' });
  await tx.query({
    name: 'append',
    text: `insert into log (event_id, agent_id, payload)
           select * from unnest($1::uuid[], $2::uuid[], $3::bytea[])`,
    values: columnsOf(rows),
  });
  await tx.query({ name: 'prune', text: 'delete from outbox where id <= $1', values: [rows.at(-1).id] });
}

async function record(tx) {
  const { rows } = await tx.query({
    name: 'read',
    text: `select * from log where position > (select coalesce(max(position), 0) from events)
           order by position limit 500`,
  });
  if (rows.length !== BATCH) throw new Error('a bare event was lost');
  await tx.query({
    name: 'record',
    text: `insert into events (position, event_id, agent_id, payload)
           select * from unnest($4::bigint[], $1::uuid[], $2::uuid[], $3::bytea[]) on conflict do nothing`,
    values: [...columnsOf(rows), rows.map((row) => row.position)],
  });
}

function columnsOf(rows) {
  return [rows.map((row) => row.event_id), rows.map((row) => row.agent_id), rows.map((row) => row.payload)];
}
