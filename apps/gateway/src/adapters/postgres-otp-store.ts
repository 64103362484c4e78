import type { Clock } from '@agent-wallet/kernel';
import type { Database } from '@agent-wallet/platform';
import type { RateLimits, RateWindow } from '../domain/rate-limits.js';
import type { PrismaClient } from '../generated/prisma/client.js';
import type { NewOtp, OtpAttempt, OtpStore, OtpVerdict } from '../ports/otp-store.js';
import { useOtp } from './otp-rows.js';
import { guarded, query, timeParameter } from './query.js';

interface RequestRow {
  readonly allowed: boolean;
  readonly remaining: number;
  readonly resets_at: Date;
}

interface GuessRow {
  readonly verdict: 'right' | 'wrong' | 'code_spent' | 'client_spent';
  readonly resets_at: Date;
}

/** Codes in Postgres: plain rows through Prisma, what must hold under concurrency by one statement each. */
export class PostgresOtpStore implements OtpStore {
  constructor(
    private readonly database: Database,
    private readonly prisma: PrismaClient,
    private readonly limits: RateLimits,
    private readonly clock: Clock,
  ) {}

  async takeRequest(budget: string, client: string) {
    const limit = this.limits.otpsPerTenMinutes;
    const [row] = await query<RequestRow>(this.database.pool, {
      name: 'take-otp-request',
      text: 'select * from count_otp_request($1, $2, $3, $4)',
      values: [budget, client, limit, this.#now()],
    });
    const { allowed, remaining, resets_at } = row as RequestRow;
    return { allowed, window: { limit, remaining, resetsAtMs: resets_at.getTime() } };
  }

  async returnRequest(budget: string, client: string, { limit, resetsAtMs }: RateWindow): Promise<void> {
    const resetsAt = timeParameter(resetsAtMs);
    await query(this.database.pool, {
      name: 'return-otp-to-client',
      text: `update login_blocks set requested = greatest(requested - 1, 0)
             where email = $1 and client = $2 and window_resets_at = $3`,
      values: [budget, client, resetsAt],
    });
    await query(this.database.pool, {
      name: 'return-otp-to-email',
      // Refused requests were counted as well, and are not part of the allowance.
      text: `update rate_windows set taken = greatest(least(taken, $2) - 1, 0)
             where key = 'start:' || $1 and resets_at = $3`,
      values: [budget, limit, resetsAt],
    });
  }

  async add({ otpId, email, purpose, ownerEmail, codeHash, expiresAtMs }: NewOtp): Promise<void> {
    const data = {
      otpId,
      email,
      purpose,
      ownerEmail: ownerEmail ?? null,
      codeHash: new Uint8Array(codeHash),
      createdAt: new Date(this.clock.nowMs()),
      expiresAt: new Date(expiresAtMs),
    };
    await guarded(() => this.prisma.otp.create({ data }));
  }

  async remove(otpId: string): Promise<void> {
    await guarded(() => this.prisma.otp.deleteMany({ where: { otpId } }));
  }

  async keepNewest(email: string, purpose: string, count: number): Promise<void> {
    await query(this.database.pool, {
      name: 'keep-newest-otps',
      text: `update otps set expires_at = least(expires_at, $3)
             where email = $1 and purpose = $4 and expires_at > $3 and used_at is null and otp_id not in (
               select otp_id from otps where email = $1 and purpose = $4 and expires_at > $3 and used_at is null
               order by created_at desc, otp_id desc limit $2)`,
      values: [email, count, this.#now(), purpose],
    });
  }

  async guess({ otpId, email, codeHash, client }: OtpAttempt): Promise<OtpVerdict> {
    const { triesPerOtp, wrongOtpsPerHour } = this.limits;
    const [row] = await query<GuessRow>(this.database.pool, {
      name: 'guess-otp',
      text: 'select * from verify_otp($1, $2, $3, $4, $5, $6, $7)',
      values: [otpId, email, codeHash, client, triesPerOtp, wrongOtpsPerHour, this.#now()],
    });
    const { verdict, resets_at } = row as GuessRow;
    if (verdict === 'right' || verdict === 'wrong') return { verdict };
    const window = { remaining: 0, resetsAtMs: resets_at.getTime() };
    return verdict === 'code_spent'
      ? { verdict: 'spent', limit: 'otp', window: { ...window, limit: triesPerOtp } }
      : { verdict: 'spent', limit: 'guesses', window: { ...window, limit: wrongOtpsPerHour } };
  }

  async claim(otpId: string, claimId: string, lapsesInMs: number) {
    const now = this.clock.nowMs();
    const claimed = await query(this.database.pool, {
      name: 'claim-otp',
      text: `update otps set claimed_by = $2, claimed_until = $4
             where otp_id = $1 and used_at is null and expires_at > $3
               and (claimed_until is null or claimed_until <= $3)
             returning otp_id`,
      values: [otpId, claimId, timeParameter(now), timeParameter(now + lapsesInMs)],
    });
    if (claimed.length > 0) return 'claimed' as const;
    const held = await query(this.database.pool, {
      name: 'otp-held',
      text: 'select 1 from otps where otp_id = $1 and used_at is null and expires_at > $2',
      values: [otpId, timeParameter(now)],
    });
    return held.length > 0 ? ('busy' as const) : ('used' as const);
  }

  use(otpId: string, claimId: string): Promise<boolean> {
    return useOtp(this.database.pool, { otpId, claimId }, this.#now());
  }

  async release(otpId: string, claimId: string): Promise<void> {
    await query(this.database.pool, {
      name: 'release-otp',
      text: `update otps set claimed_by = null, claimed_until = null, attempts = greatest(attempts - 1, 0)
             where otp_id = $1 and claimed_by = $2 and used_at is null`,
      values: [otpId, claimId],
    });
  }

  #now(): string {
    return timeParameter(this.clock.nowMs());
  }
}
