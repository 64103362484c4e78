import type { Clock } from '@agent-wallet/kernel';
import type { Queryable } from '@agent-wallet/platform';
import type { Executing, PreparedRequest, PreparedRequests, Principal } from '../ports/prepared-requests.js';
import { query, timeParameter } from './query.js';

interface Row {
  readonly id: string;
  readonly tool: string;
  readonly arguments: string;
  readonly expires_at: Date;
  readonly quote: string | null;
  readonly is_fresh: boolean;
  readonly has_begun: boolean;
}

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

  async execute({ agentId, tokenId }: Principal, id: string, key: string): Promise<Executing | 'expired' | undefined> {
    const [row] = await query<Row>(this.pool, {
      name: 'execute-prepared-request',
      text: `update prepared_requests set executed_at = coalesce(executed_at, $4)
             where id = $1 and agent_id = $2 and token_id is not distinct from $3
             returning id, tool, arguments, quote, expires_at, expires_at > $4 as is_fresh,
               exists (select 1 from idempotency_records where agent_id = $2 and idempotency_key = $5)
               or exists (select 1 from spent_keys where agent_id = $2 and key_hash = sha256(convert_to($5, 'UTF8')))
                 as has_begun`,
      values: [id, agentId, tokenId, timeParameter(this.clock.nowMs()), key],
    });
    if (!row) return undefined;
    const { tool, arguments: argumentsJson, has_begun: hasBegun } = row;
    if (!row.is_fresh && !hasBegun) return 'expired';
    const quoteJson = row.quote ?? undefined;
    return { request: { id, tool, argumentsJson, quoteJson, expiresAtMs: row.expires_at.getTime() }, hasBegun };
  }
}
