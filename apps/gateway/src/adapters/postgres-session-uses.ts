import { type Clock, RecentlyUsed } from '@agent-wallet/kernel';
import type { Logger, Queryable } from '@agent-wallet/platform';
import { sessionNetwork } from '../domain/client-network.js';
import { USE_INTERVAL_MS } from '../domain/session.js';
import type { ClaimedSession } from '../ports/rate-limiter.js';
import type { SessionUses } from '../ports/session-uses.js';
import { query, timeParameter } from './query.js';

const KEPT_AT_MOST = 10_000;

/** Uses of sessions in Postgres. What was stored a moment ago is remembered here, so that most requests cost nothing. */
export class PostgresSessionUses implements SessionUses {
  /** Unix milliseconds by session. */
  readonly #noted = new RecentlyUsed<number>(KEPT_AT_MOST);

  constructor(
    private readonly pool: Queryable,
    private readonly clock: Clock,
    private readonly logger: Logger,
  ) {}

  async note({ sessionId }: ClaimedSession, client: string): Promise<void> {
    const nowMs = this.clock.nowMs();
    const notedAtMs = this.#noted.use(sessionId);
    if (notedAtMs !== undefined && Math.abs(nowMs - notedAtMs) < USE_INTERVAL_MS) return;
    this.#noted.keep(sessionId, nowMs);
    const storing = this.#store(sessionId, client, nowMs);
    if (notedAtMs === undefined) {
      // The first use decides whether a replaced token may still come from a lost response.
      await storing.catch((error: unknown) => {
        this.#noted.drop(sessionId);
        throw error;
      });
    } else {
      storing.catch((err: unknown) =>
        this.logger.info({ event: 'session.use_not_stored', err }, 'Use of a session not stored; the next one is'),
      );
    }
  }

  async #store(sessionId: string, client: string, nowMs: number): Promise<void> {
    await query(this.pool, {
      name: 'note-session-use',
      // Another replica may have stored one.
      text: `update sessions set last_used_at = $2, network = $3
             where id = $1 and revoked_at is null and (last_used_at is null or last_used_at <= $4)`,
      values: [sessionId, timeParameter(nowMs), sessionNetwork(client), timeParameter(nowMs - USE_INTERVAL_MS)],
    });
  }
}
