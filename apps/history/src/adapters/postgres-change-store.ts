import { type Database, databaseError } from '@agent-wallet/platform';
import type { ChainPlace, Change, ChangeStore, FollowedChanges, FoundChanges, LogPage } from '../ports/change-store.js';

/** An event, and the end of the log at the same moment. A log in which no event fits is one row of nulls. */
interface Row {
  readonly log_end: string;
  readonly position: string;
  readonly agent_id: string | null;
  readonly agent_seq: string;
  readonly event_id: string;
  readonly payload: Buffer;
}

const LOG_END = '(select coalesce(max(position), 0) as log_end from events) log';

/**
 * The table `events`, read by those who follow agents. Positions become visible in their order (locks.ts), so that what
 * lies before a position that was read is complete.
 */
export class PostgresChangeStore implements ChangeStore {
  constructor(private readonly database: Database) {}

  async find(agentIds: readonly string[], after: ChainPlace | undefined, atMost: number): Promise<FoundChanges> {
    const rows = after && (await this.#after(agentIds, after, atMost + 1));
    if (!after || !rows || rows.length > atMost) return this.#end(agentIds, after !== undefined);
    const changes = changesIn(rows);
    return { position: positionIn(rows), latest: changes.at(-1) ?? after, changes };
  }

  async follow(
    agentIds: readonly string[],
    { afterPosition, untilPosition, maxEvents, maxBytes }: LogPage,
  ): Promise<FollowedChanges> {
    const rows = await this.#read<Row & { readonly page_end: string }>({
      name: 'changes-after-position',
      text: `with sized as (
               select position, agent_id, agent_seq, event_id, payload, coalesce(sum(octet_length(payload)) over
                 (order by position rows between unbounded preceding and 1 preceding), 0) as bytes_before
               from events where position > $2::bigint and position <= least($2::bigint + $3::bigint, $4::bigint)),
             page as (select * from sized where bytes_before < $5::bigint)
             select log_end, (select coalesce(max(position), log_end) from page) as page_end, e.* from ${LOG_END}
             left join (select * from page where agent_id in (select unnest($1::uuid[]))) e on true
             order by e.position`,
      values: [agentIds, afterPosition, maxEvents, untilPosition ?? null, maxBytes],
    });
    const end = positionIn(rows);
    const position = Number(rows[0]!.page_end);
    return { position, changes: changesIn(rows), hasMore: position < end };
  }

  /** Reads the agents' latest event. */
  async #end(agentIds: readonly string[], isTooFar: boolean): Promise<FoundChanges> {
    const rows = await this.#read({
      name: 'changes-end',
      text: `select log_end, e.* from ${LOG_END} left join (
               select newest.* from unnest($1::uuid[]) as agent (id) cross join lateral (
                 select position, agent_id, agent_seq, event_id, ''::bytea as payload from events
                 where agent_id = agent.id order by agent_seq desc limit 1) newest
               order by newest.position desc limit 1) e on true`,
      values: [agentIds],
    });
    return { position: positionIn(rows), latest: changesIn(rows)[0], changes: isTooFar ? undefined : [] };
  }

  /**
   * Reads the events after a place, at most so many of each agent and of all: however long a chain is, no more of it is
   * looked at. Undefined for a place that is not in the log.
   */
  async #after(agentIds: readonly string[], after: ChainPlace, limit: number): Promise<Row[] | undefined> {
    const rows = await this.#read({
      name: 'changes-after-place',
      text: `with place as (
               select position from events where agent_id = $2 and agent_seq = $3
               union all select 0 where $3::bigint = 0)
             select log_end, e.* from ${LOG_END} cross join place left join lateral (
               select newest.* from unnest($1::uuid[]) as agent (id) cross join lateral (
                 select position, agent_id, agent_seq, event_id, payload from events
                 where agent_id = agent.id order by agent_seq desc limit $4) newest
               where newest.position > place.position
               order by newest.position limit $4) e on true
             order by e.position`,
      values: [agentIds, after.agentId, after.sequence, limit],
    });
    return rows.length === 0 ? undefined : rows;
  }

  async #read<R extends Row>(statement: { name: string; text: string; values: unknown[] }): Promise<R[]> {
    try {
      return (await this.database.pool.query<R>(statement)).rows;
    } catch (error) {
      throw databaseError(error);
    }
  }
}

function positionIn([row]: readonly Row[]): number {
  return Number(row?.log_end ?? 0);
}

function changesIn(rows: readonly Row[]): Change[] {
  return rows.flatMap(({ agent_id: agentId, agent_seq: sequence, event_id: eventId, payload, position }) =>
    agentId === null ? [] : [{ agentId, sequence: Number(sequence), eventId, payload, position: Number(position) }],
  );
}
