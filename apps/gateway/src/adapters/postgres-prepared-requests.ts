import type { Clock } from '@agent-wallet/kernel';
import type { Queryable } from '@agent-wallet/platform';
import type { Executing, PreparedRequest, PreparedRequests, Principal } from '../ports/prepared-requests.js';
import { KEY_RETENTION_MS } from '../ports/idempotency-store.js';
import { query, timeParameter } from './query.js';

interface Row {
  readonly id: string;
  readonly tool: string;
  readonly arguments: string;
  readonly expires_at: Date;
  readonly quote: string | null;
  readonly is_fresh: boolean;
  readonly has_begun: boolean;
  /** Whether its key may be forgotten, or may be before the request comes to it. */
  readonly is_outdated: boolean;
}

/** Time before the end of a key within which a repeat no longer begins: an hour is longer than any request. */
const KEY_MARGIN_MS = 3_600_000;

/** Prepared requests in Postgres. */
export class PostgresPreparedRequests implements PreparedRequests {
  constructor(
    private readonly pool: Queryable,
    private readonly clock: Clock,
  ) {}

  async keep({ agentId, tokenId }: Principal, request: PreparedRequest): Promise<void> {
    await query(this.pool, {
      name: 'keep-prepared-request',
      text: `insert into prepared_requests (id, agent_id, token_id, tool, arguments, quote, expires_at)
             values ($1, $2, $3, $4, $5, $6, $7)`,
      values: [
        ...[request.id, agentId, tokenId, request.tool, request.argumentsJson, request.quoteJson],
        timeParameter(request.expiresAtMs),
      ],
    });
  }

  async execute(
    { agentId, tokenId }: Principal,
    id: string,
    key: string,
  ): Promise<Executing | 'expired' | 'outdated' | undefined> {
    const nowMs = this.clock.nowMs();
    const [row] = await query<Row>(this.pool, {
      name: 'execute-prepared-request',
      text: `update prepared_requests as p set executed_at = coalesce(p.executed_at, $4)
             from (select 1) as one
               left join idempotency_records as r on r.agent_id = $2 and r.idempotency_key = $5
             where p.id = $1 and p.agent_id = $2 and p.token_id is not distinct from $3
             returning p.id, p.tool, p.arguments, p.quote, p.expires_at, p.expires_at > $4 as is_fresh,
               r.operation_id is not null as has_begun,
               case when r.operation_id is null then p.executed_at <= $6 else coalesce(r.finished_at <= $6, false) end
                 as is_outdated`,
      values: [
        id,
        agentId,
        tokenId,
        timeParameter(nowMs),
        key,
        timeParameter(nowMs - KEY_RETENTION_MS + KEY_MARGIN_MS),
      ],
    });
    if (!row) return undefined;
    if (row.is_outdated) return 'outdated';
    const { tool, arguments: argumentsJson, has_begun: hasBegun } = row;
    if (!row.is_fresh && !hasBegun) return 'expired';
    const quoteJson = row.quote ?? undefined;
    return { request: { id, tool, argumentsJson, quoteJson, expiresAtMs: row.expires_at.getTime() }, hasBegun };
  }
}
