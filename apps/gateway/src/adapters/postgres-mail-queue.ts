import type { Clock } from '@agent-wallet/kernel';
import type { Queryable } from '@agent-wallet/platform';
import type { CodeUse } from '../domain/otp.js';
import type { RateLimits } from '../domain/rate-limits.js';
import type { MailQueue, QueuedOtp, WaitingOtp } from '../ports/mail-queue.js';
import { query, timeParameter } from './query.js';

/** More codes than this do not wait: the next login fails as it would without a queue. */
export const MAIL_QUEUE_LIMIT = 10_000;
/** Networks that have not logged in to the mailboxes leave this much room for those that have. */
const ROOM_FOR_KNOWN = 1_000;

interface QueuedRow {
  readonly otp_id: string;
  readonly email: string;
  readonly is_long: boolean;
  readonly use: CodeUse;
  readonly client: string;
  readonly is_known: boolean;
  readonly created_at: Date;
  readonly expires_at: Date;
  readonly tries: number;
}

/** The mail queue in Postgres, for all replicas together. */
export class PostgresMailQueue implements MailQueue {
  constructor(
    private readonly pool: Queryable,
    private readonly limits: Pick<RateLimits, 'otpMailsPerMinute'>,
    private readonly clock: Clock,
  ) {}

  async add({ otpId, use, client, isKnown }: WaitingOtp, dueInMs: number): Promise<boolean> {
    const limit = isKnown ? MAIL_QUEUE_LIMIT : MAIL_QUEUE_LIMIT - ROOM_FOR_KNOWN;
    const added = await query(this.pool, {
      name: 'queue-mail',
      // Parallel inserts may pass the limit by their number.
      text: `insert into mail_queue (otp_id, use, client, is_known, due_at)
             select $1, $4, $5, $6, $2 where (select count(*) from mail_queue) < $3 returning otp_id`,
      values: [otpId, this.#in(dueInMs), limit, JSON.stringify(use), client, isKnown],
    });
    return added.length > 0;
  }

  async takeDue(count: number, leaseMs: number): Promise<readonly QueuedOtp[]> {
    const rows = await query<QueuedRow>(this.pool, {
      name: 'take-queued-mail',
      text: `select q.otp_id, o.email, o.is_long, q.use, q.client, q.is_known, o.created_at, o.expires_at, q.tries
             from take_due_mails($1, $2, $3, $4) as q join otps as o using (otp_id)`,
      values: [count, this.#in(leaseMs), this.limits.otpMailsPerMinute, this.#in(0)],
    });
    return rows.map((row) => ({
      otpId: row.otp_id,
      email: row.email,
      isLong: row.is_long,
      use: row.use,
      client: row.client,
      isKnown: row.is_known,
      askedAtMs: row.created_at.getTime(),
      tries: row.tries,
      expiresAtMs: row.expires_at.getTime(),
    }));
  }

  async replaceCode({ otpId, tries }: QueuedOtp, codeHash: Buffer): Promise<boolean> {
    const replaced = await query(this.pool, {
      name: 'replace-queued-code',
      text: `update otps as o set code_hash = $3 from mail_queue as q
             where q.otp_id = $1 and q.tries = $2 and o.otp_id = q.otp_id and o.used_at is null and o.expires_at > $4
             returning o.otp_id`,
      values: [otpId, tries, codeHash, this.#in(0)],
    });
    return replaced.length > 0;
  }

  async retry({ otpId, tries }: QueuedOtp, inMs: number): Promise<void> {
    await query(this.pool, {
      name: 'retry-queued-mail',
      text: 'update mail_queue set due_at = $3 where otp_id = $1 and tries = $2',
      values: [otpId, tries, this.#in(inMs)],
    });
  }

  async remove({ otpId, tries }: QueuedOtp): Promise<void> {
    await query(this.pool, {
      name: 'remove-queued-mail',
      text: 'delete from mail_queue where otp_id = $1 and tries = $2',
      values: [otpId, tries],
    });
  }

  #in(ms: number): string {
    return timeParameter(this.clock.nowMs() + ms);
  }
}
