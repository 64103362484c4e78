import type { Clock } from '@agent-wallet/kernel';
import type { Database } from '@agent-wallet/platform';
import { sessionNetwork } from '../domain/client-network.js';
import { foldMailbox } from '../domain/mailbox.js';
import { ownerNamedBy } from '../domain/otp.js';
import type { RateLimits, RateWindow } from '../domain/rate-limits.js';
import type { PrismaClient } from '../generated/prisma/client.js';
import type {
  CountedOtp,
  NewOtp,
  OtpAttempt,
  OtpCharge,
  OtpDecision,
  OtpRequest,
  OtpStore,
  OtpVerdict,
} from '../ports/otp-store.js';
import { useOtp } from './otp-rows.js';
import { guarded, query, timeParameter } from './query.js';

interface RequestRow {
  readonly verdict: 'mail' | 'delay' | 'live' | 'email' | 'addresses' | 'mailbox';
  readonly charge: OtpCharge;
  readonly is_known: boolean;
  readonly remaining: number;
  readonly resets_at: Date;
}

interface GuessRow {
  readonly verdict: 'right' | 'wrong' | 'code_spent' | 'client_spent' | 'mailbox_spent';
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

  async takeRequest({ otpId, email, use, client }: OtpRequest): Promise<OtpDecision> {
    const { otpsPerTenMinutes, otpAddressesPerHour, otpsPerMailboxHour, otpMailsPerMinute, wrongOtpsPerMailboxDay } =
      this.limits;
    const [row] = await query<RequestRow>(this.database.pool, {
      name: 'take-otp-request',
      text: 'select * from count_otp_request($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12, $13)',
      values: [
        otpId,
        email,
        use.purpose,
        ownerNamedBy(use) ?? null,
        foldMailbox(email),
        client,
        sessionNetwork(client),
        otpsPerTenMinutes,
        otpAddressesPerHour,
        otpsPerMailboxHour,
        otpMailsPerMinute,
        wrongOtpsPerMailboxDay,
        this.#now(),
      ],
    });
    const { verdict, charge, is_known: isKnown, remaining, resets_at: resetsAt } = row as RequestRow;
    const resetsAtMs = resetsAt.getTime();
    const windowOf = (limit: number): RateWindow => ({ limit, remaining, resetsAtMs });
    switch (verdict) {
      case 'mail':
      case 'delay':
        return { verdict, charge, isKnown, window: windowOf(otpsPerTenMinutes) };
      case 'live':
        return this.#lent(otpId);
      case 'email':
        return { verdict: 'refused', limit: verdict, window: windowOf(otpsPerTenMinutes) };
      case 'addresses':
        return { verdict: 'refused', limit: verdict, window: windowOf(otpAddressesPerHour) };
      case 'mailbox':
        return { verdict: 'refused', limit: verdict, window: windowOf(otpsPerMailboxHour) };
    }
  }

  /** Returns the decision on an id that stands for a live code. */
  async #lent(otpId: string): Promise<OtpDecision> {
    const { expiresAt, isLong } = await guarded(() => this.prisma.otp.findUniqueOrThrow({ where: { otpId } }));
    return { verdict: 'live', isLong, expiresAtMs: expiresAt.getTime() };
  }

  async returnRequest({ email, use, client }: OtpRequest, { charge, window }: CountedOtp): Promise<void> {
    await query(this.database.pool, {
      name: 'return-otp-request',
      text: 'select return_otp_request($1, $2, $3, $4, $5, $6, $7, $8, $9)',
      values: [
        email,
        use.purpose,
        ownerNamedBy(use) ?? '',
        foldMailbox(email),
        client,
        sessionNetwork(client),
        charge,
        timeParameter(window.resetsAtMs),
        this.limits.otpsPerMailboxHour,
      ],
    });
  }

  async add({ otpId, email, use, asker, isLong, codeHash, expiresAtMs }: NewOtp): Promise<void> {
    const data = {
      otpId,
      email,
      purpose: use.purpose,
      ownerEmail: ownerNamedBy(use) ?? null,
      asker: asker ?? null,
      isLong,
      codeHash: new Uint8Array(codeHash),
      createdAt: new Date(this.clock.nowMs()),
      expiresAt: new Date(expiresAtMs),
    };
    await guarded(() => this.prisma.otp.create({ data }));
  }

  async remove(otpId: string): Promise<void> {
    await guarded(() => this.prisma.otp.deleteMany({ where: { otpId } }));
  }

  async noteMailed(otpId: string, count: number): Promise<void> {
    await query(this.database.pool, {
      name: 'note-otp-mailed',
      text: 'update otps set mailed_at = $2 where otp_id = $1',
      values: [otpId, this.#now()],
    });
    await query(this.database.pool, {
      name: 'keep-newest-otps',
      text: `update otps as o set expires_at = least(o.expires_at, $3) from otps as newest
             where newest.otp_id = $1 and o.otp_id in (
               select each.otp_id from otps as each
               where each.email = newest.email and each.purpose = newest.purpose
                 and each.asker is not distinct from newest.asker and each.alias_of is null and each.is_long = newest.is_long
                 and each.expires_at > $3 and each.used_at is null
               order by each.created_at desc, each.otp_id desc offset $2)`,
      values: [otpId, count, this.#now()],
    });
  }

  async codeIdOf(otpId: string): Promise<string> {
    const [row] = await query<{ alias_of: string | null }>(this.database.pool, {
      name: 'code-of-otp',
      text: 'select alias_of from otps where otp_id = $1',
      values: [otpId],
    });
    return row?.alias_of ?? otpId;
  }

  async guess({ otpId, email, codeHash, client }: OtpAttempt): Promise<OtpVerdict> {
    const { triesPerOtp, wrongOtpsPerHour, wrongOtpsPerMailboxDay } = this.limits;
    const [row] = await query<GuessRow>(this.database.pool, {
      name: 'guess-otp',
      text: 'select * from verify_otp($1, $2, $3, $4, $5, $6, $7, $8, $9)',
      values: [
        otpId,
        email,
        codeHash,
        client,
        triesPerOtp,
        wrongOtpsPerHour,
        foldMailbox(email),
        wrongOtpsPerMailboxDay,
        this.#now(),
      ],
    });
    const { verdict, resets_at } = row as GuessRow;
    if (verdict === 'right' || verdict === 'wrong') return { verdict };
    const window = { remaining: 0, resetsAtMs: resets_at.getTime() };
    switch (verdict) {
      case 'code_spent':
        return { verdict: 'spent', limit: 'otp', window: { ...window, limit: triesPerOtp } };
      case 'client_spent':
        return { verdict: 'spent', limit: 'guesses', window: { ...window, limit: wrongOtpsPerHour } };
      case 'mailbox_spent':
        return { verdict: 'spent', limit: 'mailbox_guesses', window: { ...window, limit: wrongOtpsPerMailboxDay } };
    }
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
