import { batchHash, eventHash } from '@agent-wallet/contracts/audit';
import type { Queryable } from '@agent-wallet/platform';
import type { ReadableEvent } from '../ports/event-store.js';
import { arrayOf } from './sql-values.js';
import type { ChainEnd, ChainEnds } from './chain-ends.js';

/** An event with its place in the chain of its agent. */
interface Link extends ChainEnd {
  readonly event: ReadableEvent;
  readonly previousHash: Uint8Array;
}

/**
 * Appends those events that are not there yet to the log and to the chains of their agents. The caller holds the lock
 * under which the log grows, and has read nothing in this transaction before.
 * @returns the ids of what was appended
 */
export async function appendEvents(
  tx: Queryable,
  events: readonly ReadableEvent[],
  ends: ChainEnds,
): Promise<ReadonlySet<string>> {
  if (events.length === 0) return new Set();
  const known = await ends.find(tx, events);
  const fresh = new Map<string, ReadableEvent>();
  for (const event of events) {
    if (!known.has(event.eventId) && !fresh.has(event.eventId)) fresh.set(event.eventId, event);
  }
  if (fresh.size > 0) await writeLinks(tx, ends, chain([...fresh.values()], ends));
  return new Set(fresh.keys());
}

/** Gives each event its place. */
function chain(events: readonly ReadableEvent[], ends: ChainEnds): Link[] {
  const last = new Map<string, Link>();
  return events.map((event) => {
    const { eventId, agentId, payload } = event;
    const { size, hash: previousHash } = last.get(agentId) ?? ends.of(agentId);
    const sequence = size + 1;
    const hash = eventHash({ eventId, agentId, sequence, payload, previousHash });
    const link = { event, size: sequence, hash, previousHash };
    last.set(agentId, link);
    return link;
  });
}

/** Bytes travel joined, with their ends: an array of them would be text twice as long. */
async function writeLinks(tx: Queryable, ends: ChainEnds, links: readonly Link[]): Promise<void> {
  const eventHashes = links.map(({ hash }) => hash);
  const { size: position, hash: previousHash } = ends.log;
  const log = {
    size: position + links.length,
    hash: batchHash({ firstPosition: position + 1, eventHashes, previousHash }),
  };
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
             order by n)
           insert into log_batches (last_position, hash) values ($11, $12)`,
    values: [
      position,
      arrayOf(links, ({ event }) => event.eventId),
      arrayOf(links, ({ event }) => event.agentId),
      arrayOf(links, ({ event }) => event.occurredAtMs),
      arrayOf(links, ({ size }) => size),
      Buffer.concat(links.map((link) => link.previousHash)),
      Buffer.concat(eventHashes),
      Buffer.concat(links.map(({ event }) => event.payload)),
      arrayOf(links, ({ event }) => (end += event.payload.length)),
      arrayOf(links, ({ event }) => event.payload.length),
      log.size,
      log.hash,
    ],
  });
  ends.moveOn(log, new Map(links.map((link) => [link.event.agentId, link])));
}
