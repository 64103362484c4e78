import type { Clock } from '@agent-wallet/kernel';
import type { Queryable } from '@agent-wallet/platform';
import type { RateLimits } from '../../domain/rate-limits.js';
import type { Admission, ClaimedSession, RateLimiter } from '../../ports/rate-limiter.js';
import { query, timeParameter } from './query.js';

interface AdmitRow {
  readonly client_taken: number;
  readonly client_resets_at: Date;
  readonly session_good: boolean | null;
  readonly agent_taken: number | null;
  readonly agent_resets_at: Date | null;
}

/** Counts in Postgres: one function call a request, whatever it carries. */
export class PostgresRateLimiter implements RateLimiter {
  constructor(
    private readonly pool: Queryable,
    private readonly limits: RateLimits,
    private readonly clock: Clock,
  ) {}

  async admit(client: string, session?: ClaimedSession): Promise<Admission> {
    const { clientPerMinute, agentPerMinute } = this.limits;
    const [row] = await query<AdmitRow>(this.pool, {
      name: 'admit',
      text: 'select * from admit($1, $2, $3, $4, $5, $6)',
      values: [
        client,
        clientPerMinute,
        session?.sessionId ?? null,
        session?.agentId ?? null,
        agentPerMinute,
        timeParameter(this.clock.nowMs()),
      ],
    });
    const found = row as AdmitRow;
    return {
      client: window(clientPerMinute, found.client_taken, found.client_resets_at),
      sessionGood: found.session_good === true,
      agent:
        found.agent_taken === null || found.agent_resets_at === null
          ? undefined
          : window(agentPerMinute, found.agent_taken, found.agent_resets_at),
    };
  }
}

function window(limit: number, taken: number, resetsAt: Date) {
  return { limit, remaining: limit - taken, resetsAtMs: resetsAt.getTime() };
}
