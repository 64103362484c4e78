import type { Checkpoint } from '@agent-wallet/contracts/audit';
import { type Database, databaseError } from '@agent-wallet/platform';
import type { ChainQuery, EventChainStore, LinkedEvent } from '../ports/event-chain-store.js';

interface EventRow {
  readonly event_id: string;
  readonly agent_seq: string;
  readonly payload: Buffer;
  readonly previous_hash: Buffer;
  readonly hash: Buffer;
}

interface CheckpointRow {
  readonly scope: Checkpoint['scope'];
  readonly size: string;
  readonly root_hash: Buffer;
  readonly signed_at_ms: string;
  readonly signature: Buffer;
  readonly key_id: string;
}

/** The tables `events` and `checkpoints`, read for one agent. */
export class PostgresEventChainStore implements EventChainStore {
  constructor(private readonly database: Database) {}

  async page({ agentId, afterEventId, limit }: ChainQuery): Promise<readonly LinkedEvent[] | undefined> {
    const after = afterEventId === undefined ? 0 : await this.#sequenceOf(agentId, afterEventId);
    return after === undefined ? undefined : this.after(agentId, after, limit);
  }

  async after(agentId: string, sequence: number, limit: number): Promise<readonly LinkedEvent[]> {
    const rows = await this.#read<EventRow>({
      name: 'chain-page',
      text: `select event_id, agent_seq, payload, previous_hash, hash from events
             where agent_id = $1 and agent_seq > $2 order by agent_seq limit $3`,
      values: [agentId, sequence, limit],
    });
    return rows.map((row) => ({
      agentId: agentId.toLowerCase(),
      eventId: row.event_id,
      sequence: Number(row.agent_seq),
      payload: row.payload,
      previousHash: row.previous_hash,
      hash: row.hash,
    }));
  }

  async latestCheckpoint(agentId: string): Promise<Checkpoint | undefined> {
    const [row] = await this.#read<CheckpointRow>({
      name: 'chain-checkpoint',
      text: `select scope, size, root_hash, signed_at_ms, signature, key_id from checkpoints
             where scope = $1 order by size desc limit 1`,
      values: [`agent:${agentId.toLowerCase()}`],
    });
    return (
      row && {
        scope: row.scope,
        size: Number(row.size),
        rootHash: row.root_hash,
        signedAtMs: Number(row.signed_at_ms),
        signature: row.signature,
        keyId: row.key_id,
      }
    );
  }

  /** Returns an event's number among those of its agent; undefined when it is not the agent's. Events never change. */
  async #sequenceOf(agentId: string, eventId: string): Promise<number | undefined> {
    const [row] = await this.#read<{ agent_seq: string }>({
      name: 'chain-sequence',
      text: 'select agent_seq from events where event_id = $1 and agent_id = $2',
      values: [eventId, agentId],
    });
    return row && Number(row.agent_seq);
  }

  async #read<Row extends object>(statement: { name: string; text: string; values: unknown[] }): Promise<Row[]> {
    try {
      return (await this.database.pool.query<Row>(statement)).rows;
    } catch (error) {
      throw databaseError(error);
    }
  }
}
