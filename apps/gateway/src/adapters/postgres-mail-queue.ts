import type { Clock } from '@agent-wallet/kernel';
import type { Queryable } from '@agent-wallet/platform';
import type { CodeUse } from '../domain/otp.js';
import type { MailQueue, QueuedOtp } from '../ports/mail-queue.js';
import { query, timeParameter } from './query.js';

/** More codes than this do not wait: the next login fails as it would without a queue. */
export const MAIL_QUEUE_LIMIT = 1_000;

interface QueuedRow {
  readonly otp_id: string;
  readonly email: string;
  readonly use: CodeUse;
  readonly expires_at: Date;
  readonly tries: number;
}

/** The mail queue in Postgres, for all replicas together. */
export class PostgresMailQueue implements MailQueue {
  constructor(
    private readonly pool: Queryable,
    private readonly clock: Clock,
  ) {}

  async add(otpId: string, use: CodeUse, dueInMs: number): Promise<boolean> {
    const added = await query(this.pool, {
      name: 'queue-mail',
      // Parallel inserts may pass the limit by their number.
      text: `insert into mail_queue (otp_id, use, due_at)
             select $1, $4, $2 where (select count(*) from mail_queue) < $3 returning otp_id`,
      values: [otpId, this.#in(dueInMs), MAIL_QUEUE_LIMIT, JSON.stringify(use)],
    });
    return added.length > 0;
  }

  async takeDue(count: number, leaseMs: number): Promise<readonly QueuedOtp[]> {
    const rows = await query<QueuedRow>(this.pool, {
      name: 'take-queued-mail',
      // Materialized: rows that were locked once are not locked and counted again for each code.
      text: `with due as materialized (
               select otp_id from mail_queue where due_at <= $1 order by due_at limit $3 for update skip locked)
             update mail_queue as q set due_at = $2, tries = q.tries + 1 from due, otps as o
             where q.otp_id = due.otp_id and o.otp_id = due.otp_id
             returning q.otp_id, o.email, q.use, o.expires_at, q.tries`,
      values: [this.#in(0), this.#in(leaseMs), count],
    });
    return rows.map(({ otp_id: otpId, email, use, expires_at: expiresAt, tries }) => ({
      otpId,
      email,
      use,
      tries,
      expiresAtMs: expiresAt.getTime(),
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
