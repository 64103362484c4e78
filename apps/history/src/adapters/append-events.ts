import { batchHash, eventHash, HASH_BYTES, NO_HASH } from '@agent-wallet/contracts/audit';
import type { Queryable } from '@agent-wallet/platform';
import type { ReadableEvent } from '../ports/event-store.js';

/** What the log has of a batch that comes, and where its chains end. */
interface Ends {
  /** Ids of those events that are there already. */
  readonly known: ReadonlySet<string>;
  /** By the agent's id in hexadecimal. */
  readonly heads: Map<string, Head>;
  readonly lastPosition: number;
  readonly batchHash: Uint8Array;
}

/** The end of an agent's chain. */
interface Head {
  readonly size: number;
  readonly hash: Uint8Array;
}

interface EndsRow {
  readonly known: readonly string[];
  readonly heads: Buffer | null;
  readonly log: Buffer | null;
}

const UUID_BYTES = 16;
const SIZE_BYTES = 8;
const HEAD_BYTES = UUID_BYTES + SIZE_BYTES + HASH_BYTES;

/** An event with its place in the chain of its agent. */
interface Link extends Head {
  readonly event: ReadableEvent;
  readonly previousHash: Uint8Array;
}

/**
 * Appends those events that are not there yet to the log and to the chains of their agents. The caller holds the lock
 * under which the log grows, and has read nothing in this transaction before.
 * @returns the ids of what was appended
 */
export async function appendEvents(tx: Queryable, events: readonly ReadableEvent[]): Promise<ReadonlySet<string>> {
  if (events.length === 0) return new Set();
  const ends = await readEnds(tx, events);
  const fresh = new Map<string, ReadableEvent>();
  for (const event of events) {
    if (!ends.known.has(event.eventId) && !fresh.has(event.eventId)) fresh.set(event.eventId, event);
  }
  if (fresh.size > 0) await writeLinks(tx, ends, chain([...fresh.values()], ends.heads));
  return new Set(fresh.keys());
}

async function readEnds(tx: Queryable, events: readonly ReadableEvent[]): Promise<Ends> {
  const { rows } = await tx.query<EndsRow>({
    name: 'chain-ends',
    text: `select
             array(select event_id::text from events where event_id = any($1::uuid[])) as known,
             (select string_agg(uuid_send(agent_id) || int8send(size) || hash, ''::bytea)
              from chain_heads where agent_id = any($2::uuid[])) as heads,
             (select int8send(last_position) || hash from log_batches order by last_position desc limit 1) as log`,
    values: [
      arrayOf(events, ({ eventId }) => eventId),
      arrayOf([...new Set(events.map(({ agentId }) => agentId))], (agentId) => agentId),
    ],
  });
  const { known, heads, log } = rows[0]!;
  return {
    known: new Set(known),
    heads: headsOf(heads ?? Buffer.alloc(0)),
    lastPosition: log ? Number(log.readBigUInt64BE(0)) : 0,
    batchHash: log ? log.subarray(SIZE_BYTES) : NO_HASH,
  };
}

/** Ends of chains as the query above joins them: a row each would cost as much as the rest. */
function headsOf(joined: Buffer): Map<string, Head> {
  const heads = new Map<string, Head>();
  for (let at = 0; at < joined.length; at += HEAD_BYTES) {
    const size = Number(joined.readBigUInt64BE(at + UUID_BYTES));
    const hash = joined.subarray(at + UUID_BYTES + SIZE_BYTES, at + HEAD_BYTES);
    heads.set(joined.toString('hex', at, at + UUID_BYTES), { size, hash });
  }
  return heads;
}

/** Gives each event its place; `heads` move on. */
function chain(events: readonly ReadableEvent[], heads: Map<string, Head>): Link[] {
  return events.map((event) => {
    const agent = event.agentId.replaceAll('-', '');
    const { size: before, hash: previousHash } = heads.get(agent) ?? { size: 0, hash: NO_HASH };
    const sequence = before + 1;
    const link = { event, previousHash, size: sequence, hash: eventHash({ ...event, sequence, previousHash }) };
    heads.set(agent, link);
    return link;
  });
}

/** Bytes travel joined, with their ends: an array of them would be text twice as long. */
async function writeLinks(tx: Queryable, ends: Ends, links: readonly Link[]): Promise<void> {
  const last = new Map(links.map((link) => [link.event.agentId, link]));
  const eventHashes = links.map(({ hash }) => hash);
  const batch = { firstPosition: ends.lastPosition + 1, eventHashes, previousHash: ends.batchHash };
  let end = 0;
  await tx.query({
    name: 'chain-append',
    text: `with added as (
             insert into events (position, event_id, agent_id, occurred_at, agent_seq, previous_hash, hash, payload)
             select $1::bigint + n, event_id, agent_id, timestamptz 'epoch' + occurred_at_ms * interval '1 millisecond',
               agent_seq, substring($6::bytea, (32 * n - 31)::int, 32),
               substring($7::bytea, (32 * n - 31)::int, 32), substring($8::bytea, (payload_end - size + 1)::int, size)
             from unnest($2::uuid[], $3::uuid[], $4::bigint[], $5::bigint[], $9::int[], $10::int[]) with ordinality
               as given (event_id, agent_id, occurred_at_ms, agent_seq, payload_end, size, n)
             order by n),
           moved as (
             insert into chain_heads as h (agent_id, size, hash)
             select agent_id, size, substring($13::bytea, (32 * n - 31)::int, 32)
             from unnest($11::uuid[], $12::bigint[]) with ordinality as given (agent_id, size, n)
             on conflict (agent_id) do update set size = excluded.size, hash = excluded.hash)
           insert into log_batches (last_position, hash) values ($1::bigint + $14::bigint, $15)`,
    values: [
      ends.lastPosition,
      arrayOf(links, ({ event }) => event.eventId),
      arrayOf(links, ({ event }) => event.agentId),
      arrayOf(links, ({ event }) => event.occurredAtMs),
      arrayOf(links, ({ size }) => size),
      Buffer.concat(links.map(({ previousHash }) => previousHash)),
      Buffer.concat(eventHashes),
      Buffer.concat(links.map(({ event }) => event.payload)),
      arrayOf(links, ({ event }) => (end += event.payload.length)),
      arrayOf(links, ({ event }) => event.payload.length),
      arrayOf([...last.keys()], (agentId) => agentId),
      arrayOf([...last.values()], ({ size }) => size),
      Buffer.concat([...last.values()].map(({ hash }) => hash)),
      links.length,
      batchHash(batch),
    ],
  });
}

/** An array of ids or numbers as Postgres reads it: pg would look at each for characters to escape. */
function arrayOf<T>(items: readonly T[], valueOf: (item: T) => string | number): string {
  return `{${items.map(valueOf).join(',')}}`;
}
