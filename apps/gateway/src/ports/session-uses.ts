import type { ClaimedSession } from './rate-limiter.js';

/** Remembers when sessions are used, and from where. */
export interface SessionUses {
  /**
   * Notes a use. The first that this process sees is stored when this resolves; after it, at most one a minute is stored,
   * in the background.
   * @param client the client's network
   */
  note(session: ClaimedSession, client: string): Promise<void>;
}
