import { type Clock, newId } from '@agent-wallet/kernel';
import type { Queryable } from '@agent-wallet/platform';
import type { Eviction, EvictionReports } from '../ports/eviction-reports.js';
import { query, timeParameter } from './query.js';
import type { EndedSession } from './session-rows.js';

/** Longer than a report can take. */
const REPORTED_WITHIN_MS = 30_000;
/**
 * Allowance for the clocks of two gateways, longer than a request takes from its admission to its operation's ID. A new
 * login takes longer: its code comes by mail.
 */
const OVERLAP_MS = 1_000;
const BATCH = 10;

interface EvictionRow {
  readonly eviction_id: string;
  readonly agent_id: string;
  readonly asked_before: Date;
  readonly token_ids: string[];
}

/** Notes an eviction, in the transaction that ends the sessions of its agent. */
export async function noteEviction(
  tx: Queryable,
  { agentId, ended }: { readonly agentId: string; readonly ended: readonly EndedSession[] },
  nowMs: number,
): Promise<Eviction> {
  const tokenIds = ended.flatMap(({ tokenId }) => tokenId ?? []);
  const eviction = { id: newId(), agentId, askedBeforeMs: nowMs + OVERLAP_MS, tokenIds };
  await query(tx, {
    name: 'note-agent-eviction',
    text: 'insert into evictions (eviction_id, agent_id, asked_before, noted_at, due_at, token_ids) values ($1, $2, $3, $4, $5, $6)',
    values: [
      eviction.id,
      agentId,
      timeParameter(eviction.askedBeforeMs),
      timeParameter(nowMs),
      timeParameter(nowMs + REPORTED_WITHIN_MS),
      tokenIds,
    ],
  });
  return eviction;
}

/** Evictions in Postgres, for all replicas together. */
export class PostgresEvictionReports implements EvictionReports {
  constructor(
    private readonly pool: Queryable,
    private readonly clock: Clock,
  ) {}

  async takeDue(): Promise<Eviction[]> {
    const nowMs = this.clock.nowMs();
    const rows = await query<EvictionRow>(this.pool, {
      name: 'take-agent-evictions',
      text: `update evictions set due_at = $2 where eviction_id in (
               select eviction_id from evictions where due_at <= $1 order by due_at limit ${BATCH}
               for update skip locked)
             returning eviction_id, agent_id, asked_before, token_ids`,
      values: [timeParameter(nowMs), timeParameter(nowMs + REPORTED_WITHIN_MS)],
    });
    return rows.map(({ eviction_id: id, agent_id: agentId, asked_before: askedBefore, token_ids: tokenIds }) => ({
      id,
      agentId,
      askedBeforeMs: askedBefore.getTime(),
      tokenIds,
    }));
  }

  async forget({ id }: Eviction): Promise<void> {
    await query(this.pool, {
      name: 'forget-agent-eviction',
      text: 'delete from evictions where eviction_id = $1',
      values: [id],
    });
  }
}
