import type { Clock } from '@agent-wallet/kernel';
import type { Queryable } from '@agent-wallet/platform';
import type { PreparedRequest, PreparedRequests, Principal } from '../ports/prepared-requests.js';
import { query, timeParameter } from './query.js';

interface Row {
  readonly id: string;
  readonly tool: string;
  readonly arguments: string;
  readonly expires_at: Date;
  readonly may_run: boolean;
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
      text: `insert into prepared_requests (id, agent_id, token_id, tool, arguments, expires_at)
             values ($1, $2, $3, $4, $5, $6)`,
      values: [
        ...[request.id, agentId, tokenId, request.tool, request.argumentsJson],
        timeParameter(request.expiresAtMs),
      ],
    });
  }

  async execute({ agentId, tokenId }: Principal, id: string): Promise<PreparedRequest | 'expired' | undefined> {
    const [row] = await query<Row>(this.pool, {
      name: 'execute-prepared-request',
      text: `update prepared_requests
             set executed_at = case when expires_at > $4 then coalesce(executed_at, $4) else executed_at end
             where id = $1 and agent_id = $2 and token_id is not distinct from $3
             returning id, tool, arguments, expires_at, executed_at is not null as may_run`,
      values: [id, agentId, tokenId, timeParameter(this.clock.nowMs())],
    });
    if (!row) return undefined;
    if (!row.may_run) return 'expired';
    return { id: row.id, tool: row.tool, argumentsJson: row.arguments, expiresAtMs: row.expires_at.getTime() };
  }
}
