import { AppError, type Clock } from '@agent-wallet/kernel';
import type { Queryable } from '@agent-wallet/platform';
import { type RateLimits, type RateWindow, windowSecondsOf } from '../domain/rate-limits.js';
import type { Admission, ClaimedSession, RateLimiter } from '../ports/rate-limiter.js';
import { Grouped } from './grouped.js';
import { query, type Statement, timeParameter } from './query.js';

interface AdmitRow {
  readonly session_good: boolean;
  readonly taken: number;
  readonly resets_at: Date;
}

interface Ask {
  readonly client: string;
  readonly session: ClaimedSession | undefined;
}

/** SQLSTATE classes of what a single value brings about, and of what goes well when it is tried again. */
const OF_ONE = /^(22|40|54)/;
const GROUP_LIMIT = 200;
/** As long as a statement of its own would have waited for a connection. */
const STALLED_AFTER_MS = 5_000;

/** Counts in Postgres: one function call for all requests that come while the one before it is under way. */
export class PostgresRateLimiter implements RateLimiter {
  readonly #door: Grouped<Ask, AdmitRow>;

  constructor(
    private readonly pool: Queryable,
    private readonly limits: RateLimits,
    private readonly clock: Clock,
  ) {
    this.#door = new Grouped({
      name: 'admit',
      run: (asks) => query<AdmitRow>(this.pool, this.#admit(asks)),
      isOfOne: (error) => error instanceof AppError && OF_ONE.test((error.cause as { code?: string }).code ?? ''),
      groupLimit: GROUP_LIMIT,
      stalledAfterMs: STALLED_AFTER_MS,
    });
  }

  async admit(client: string, session?: ClaimedSession): Promise<Admission> {
    const { clientPerMinute, agentPerMinute } = this.limits;
    const row = await this.#door.ask({ client, session });
    const { session_good: sessionGood, taken, resets_at: resetsAt } = row;
    return { sessionGood, window: window(sessionGood ? agentPerMinute : clientPerMinute, taken, resetsAt) };
  }

  async take(name: 'owner' | 'passkey', of: string): Promise<RateWindow> {
    const limit = name === 'owner' ? this.limits.ownerPerMinute : this.limits.passkeysPerTenMinutes;
    const [row] = await query<{ taken: number; resets_at: Date }>(this.pool, {
      name: 'take-window',
      text: 'select taken, resets_at from take($1, make_interval(secs => $2), $3)',
      values: [`${name}:${of}`, windowSecondsOf(name), timeParameter(this.clock.nowMs())],
    });
    return window(limit, row!.taken, row!.resets_at);
  }

  #admit(asks: readonly Ask[]): Statement {
    return {
      name: 'admit',
      text: 'select * from admit($1, $2, $3, $4, $5)',
      values: [
        asks.map(({ client }) => client),
        asks.map(({ session }) => session?.sessionId ?? null),
        asks.map(({ session }) => session?.agentId ?? null),
        asks.map(({ session }) => session?.token?.id ?? null),
        timeParameter(this.clock.nowMs()),
      ],
    };
  }
}

function window(limit: number, taken: number, resetsAt: Date): RateWindow {
  return { limit, remaining: limit - taken, resetsAtMs: resetsAt.getTime() };
}
