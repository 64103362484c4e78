import type { RateWindow } from '../domain/rate-limits.js';

/** The session that a token claims to be of. */
export interface ClaimedSession {
  readonly sessionId: string;
  readonly agentId: string;
}

/** The result of admitting a request. */
export interface Admission {
  /** The client address's window; `remaining` is negative when it is full. */
  readonly client: RateWindow;
  /** Whether the session stands: it is known, of that agent, not revoked and not over. */
  readonly sessionGood: boolean;
  /** The agent's window; undefined when the request did not get that far. */
  readonly agent?: RateWindow | undefined;
}

/** Counts requests, in the database, so that limits hold across replicas. */
export interface RateLimiter {
  /** Counts a request of a client address and, when it carries a session, of its agent. */
  admit(client: string, session?: ClaimedSession): Promise<Admission>;
  /** Counts a request of an owner, or a rejected passkey login of a client address. */
  take(name: 'owner' | 'passkey', of: string): Promise<RateWindow>;
}
