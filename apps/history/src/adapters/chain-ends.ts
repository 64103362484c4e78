import { HASH_BYTES, NO_HASH } from '@agent-wallet/contracts/audit';
import type { Queryable } from '@agent-wallet/platform';
import type { ReadableEvent } from '../ports/event-store.js';
import { arrayOf } from './sql-values.js';

/** The end of a chain. */
export interface ChainEnd {
  /** Number of events in an agent's chain; in the log, its last position. */
  readonly size: number;
  readonly hash: Buffer;
}

interface EndsRow {
  readonly known: readonly string[];
  readonly ends: Buffer | null;
  readonly log: Buffer | null;
}

const EMPTY: ChainEnd = { size: 0, hash: NO_HASH };
const UUID_BYTES = 16;
const SIZE_BYTES = 8;
const END_BYTES = UUID_BYTES + SIZE_BYTES + HASH_BYTES;
/** Agents that are remembered, some 200 bytes each. */
const MOST_AGENTS = 20_000;

/**
 * The ends of the log and of its agents' chains. This process remembers what it appended while the log ends where it
 * left it, because the log's hash covers everything before. After a batch that is rolled back, or another replica's,
 * the log ends elsewhere and the ends are read again.
 */
export class ChainEnds {
  #log = EMPTY;
  /** By agent; hashes as text, for a buffer may keep a whole batch in memory. */
  readonly #agents = new Map<string, { readonly size: number; readonly hash: string }>();

  get log(): ChainEnd {
    return this.#log;
  }

  /**
   * Finds the ends that a batch needs. The caller holds the lock under which the log grows.
   * @returns the ids of those events that are in the log already
   */
  async find(tx: Queryable, events: readonly ReadableEvent[]): Promise<ReadonlySet<string>> {
    if (this.#agents.size > MOST_AGENTS) this.#agents.clear();
    const agents = [...new Set(events.map(({ agentId }) => agentId))];
    const { rows } = await tx.query<EndsRow>({
      name: 'chain-ends',
      text: `select
               array(select event_id::text from events where event_id = any($1::uuid[])) as known,
               ${ENDS.replace('$1', '$2')} as ends,
               (select int8send(last_position) || hash from log_batches order by last_position desc limit 1) as log`,
      values: [
        arrayOf(events, ({ eventId }) => eventId),
        arrayOf(
          agents.filter((agentId) => !this.#agents.has(agentId)),
          (agentId) => agentId,
        ),
      ],
    });
    const { known, ends, log } = rows[0]!;
    const found = log ? { size: Number(log.readBigUInt64BE(0)), hash: log.subarray(SIZE_BYTES) } : EMPTY;
    if (isSame(found, this.#log)) this.#remember(ends);
    else {
      this.#agents.clear();
      this.#log = found;
      this.#remember(await readEnds(tx, agents));
    }
    return new Set(known);
  }

  /** Returns the end of an agent whose end was found. */
  of(agentId: string): ChainEnd {
    const end = this.#agents.get(agentId);
    return end ? { size: end.size, hash: Buffer.from(end.hash, 'latin1') } : EMPTY;
  }

  /** Chains have grown, in the transaction under way. */
  moveOn(log: ChainEnd, agents: ReadonlyMap<string, ChainEnd>): void {
    this.#log = log;
    for (const [agentId, { size, hash }] of agents) this.#agents.set(agentId, { size, hash: hash.toString('latin1') });
  }

  #remember(joined: Buffer | null): void {
    for (let at = 0; joined && at < joined.length; at += END_BYTES) {
      const id = joined.toString('hex', at, at + UUID_BYTES).replace(/^(.{8})(.{4})(.{4})(.{4})/, '$1-$2-$3-$4-');
      const size = Number(joined.readBigUInt64BE(at + UUID_BYTES));
      this.#agents.set(id, { size, hash: joined.toString('latin1', at + UUID_BYTES + SIZE_BYTES, at + END_BYTES) });
    }
  }
}

const isSame = (a: ChainEnd, b: ChainEnd): boolean => a.size === b.size && a.hash.equals(b.hash);

/** Ends of the chains of agents, joined: a row each would cost as much as the rest. */
const ENDS = `(select string_agg(uuid_send(agent_id) || int8send(agent_seq) || hash, ''::bytea)
               from unnest($1::uuid[]) as given (agent_id) cross join lateral (
                 select agent_seq, hash from events e where e.agent_id = given.agent_id
                 order by agent_seq desc limit 1) as last)`;

async function readEnds(tx: Queryable, agents: readonly string[]): Promise<Buffer | null> {
  const { rows } = await tx.query<Pick<EndsRow, 'ends'>>({
    name: 'chain-ends-again',
    text: `select ${ENDS} as ends`,
    values: [arrayOf(agents, (agentId) => agentId)],
  });
  return rows[0]!.ends;
}
