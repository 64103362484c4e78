import type { RateWindow } from '../domain/rate-limits.js';

/** The session that a token claims to be of. */
export interface ClaimedSession {
  readonly sessionId: string;
  readonly agentId: string;
  /** The scoped token, if it is one: it has a window of its own. */
  readonly token?: { readonly id: string } | undefined;
}

/** The result of admitting a request. */
export interface Admission {
  /** Whether the session is good: it is known, of that agent, not revoked and not over. */
  readonly sessionGood: boolean;
  /**
   * The window that the request was counted in; `remaining` is negative when it is full. Of a good session the agent's, or the
   * scoped token's; of every other request the client address's.
   */
  readonly window: RateWindow;
}

/** Counts requests, in the database, so that limits hold across replicas. */
export interface RateLimiter {
  /** Counts a request: of its principal where its session is good, and of its client address otherwise. */
  admit(client: string, session?: ClaimedSession): Promise<Admission>;
  /** Counts a request of an owner, or a rejected passkey login of a client address. */
  take(name: 'owner' | 'passkey', of: string): Promise<RateWindow>;
}
