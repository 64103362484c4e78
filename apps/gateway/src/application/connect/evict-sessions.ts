import { EVICTION } from '../../domain/otp.js';
import { unauthenticated } from '../../domain/unauthenticated.js';
import type { SessionStore } from '../../ports/session-store.js';
import type { SentOtp, SpendOtp } from './spend-otp.js';

/**
 * Ends all sessions of an agent by a mailed code, at every replica at once. It needs no token: a thief may have ended the
 * session of the mailbox's holder.
 */
export class EvictSessions {
  constructor(
    private readonly codes: SpendOtp,
    private readonly sessions: Pick<SessionStore, 'evictWithOtp'>,
  ) {}

  /**
   * @returns how many this ended
   * @throws RateLimited, AppError AUTHENTICATION_ERROR: a wrong code and an address without an agent look alike
   */
  evict(sent: SentOtp): Promise<number> {
    return this.codes.spend(sent, EVICTION, async (claimId) => {
      const { otpId, email, client } = sent;
      const ended = await this.sessions.evictWithOtp({ otpId, claimId, email, client });
      if (ended === undefined) throw unauthenticated('wrong_code');
      return ended;
    });
  }
}
