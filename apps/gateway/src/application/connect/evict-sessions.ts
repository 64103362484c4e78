import { EVICTION } from '../../domain/otp.js';
import { unauthenticated } from '../../domain/unauthenticated.js';
import type { SessionStore } from '../../ports/session-store.js';
import type { ReportEvictions } from './report-evictions.js';
import type { SentOtp, SpendOtp } from './spend-otp.js';

/**
 * Ends all sessions of an agent by a mailed code, at every replica at once, and voids what the agent waits for.
 * It needs no token: a thief may have ended the session of the mailbox's holder.
 */
export class EvictSessions {
  constructor(
    private readonly codes: SpendOtp,
    private readonly sessions: Pick<SessionStore, 'evictWithOtp'>,
    private readonly evictions: Pick<ReportEvictions, 'report'>,
  ) {}

  /**
   * @returns how many this ended
   * @throws RateLimited, AppError AUTHENTICATION_ERROR: a wrong code and an address without an agent look alike;
   * SERVICE_UNAVAILABLE when the sessions have ended and policy cannot be reached: what waits becomes void later
   */
  async evict(sent: SentOtp): Promise<number> {
    const { ended, eviction } = await this.codes.spend(sent, EVICTION, async (otp) => {
      const evicted = await this.sessions.evictWithOtp(otp);
      if (evicted === undefined) throw unauthenticated('wrong_code');
      return evicted;
    });
    await this.evictions.report(eviction);
    return ended;
  }
}
