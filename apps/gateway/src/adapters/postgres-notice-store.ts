import type { KeepPlace } from '@agent-wallet/events';
import { type Clock, RecentlyUsed } from '@agent-wallet/kernel';
import type { Database, Queryable } from '@agent-wallet/platform';
import { digestMail } from '../domain/notices/digest-mail.js';
import { SHOWN_IN_DIGEST } from '../domain/notices/notice.js';
import type { Candidate, NoticeStore, NoticeTransaction, QueuedNotice } from '../ports/notice-store.js';
import { PostgresNoticeTransaction } from './postgres-notice-transaction.js';
import { guarded, query, timeParameter } from './query.js';

/** Among the locks of this database: one replica at a time notes events or makes digests. */
const NOTING_LOCK = 7_214_010;
const RECIPIENTS_REMEMBERED = 20_000;
/** Delay of a digest for which the mailbox had no room. */
const CROWDED_MS = 600_000;

interface MailRow {
  readonly id: string;
  readonly mailbox: string;
  readonly subject: string;
  readonly text: string;
  readonly html: string;
  readonly queued_at: Date;
  readonly tries: number;
}

/** Notices in Postgres, for all replicas together. */
export class PostgresNoticeStore implements NoticeStore {
  /** Recipients that are known, by agent and address: most payments cost no statement. */
  readonly #known = new RecentlyUsed<true>(RECIPIENTS_REMEMBERED);

  constructor(
    private readonly database: Database,
    private readonly clock: Clock,
  ) {}

  async news(candidates: readonly Candidate[]): Promise<readonly boolean[]> {
    const payments = candidates.filter((each) => each.kind === 'payment');
    const unknown = payments.filter((payment) => !this.#known.use(keyOf(payment)));
    if (unknown.length > 0) {
      const rows = await query<{ agent_id: string; address: string }>(this.database.pool, {
        name: 'known-notice-recipients',
        text: `select k.agent_id, k.address from notice_recipients k
               join unnest($1::uuid[], $2::text[]) as asked (agent_id, address)
                 on asked.agent_id = k.agent_id and asked.address = k.address`,
        values: [unknown.map(({ agentId }) => agentId), unknown.map(({ recipient }) => recipient)],
      });
      for (const { agent_id: agentId, address: recipient } of rows)
        this.#known.keep(keyOf({ agentId, recipient }), true);
    }
    return candidates.map((each) => each.kind === 'session' || !this.#known.use(keyOf(each)));
  }

  noting(work: (tx: NoticeTransaction) => Promise<void>, keepPlace: KeepPlace | undefined): Promise<void> {
    return this.#inTurn(async (tx) => {
      await work(new PostgresNoticeTransaction(tx, this.clock));
      await keepPlace?.(tx);
    });
  }

  async queueDigests(): Promise<number> {
    // Most rounds find none, and lock nothing.
    const due = await this.#dueMailboxes(this.database.pool);
    if (due.length === 0) return 0;
    return this.#inTurn(async (tx) => {
      const mailboxes = await this.#dueMailboxes(tx);
      for (const mailbox of mailboxes) await this.#digest(tx, mailbox);
      return mailboxes.length;
    });
  }

  async takeDue(count: number, leaseMs: number): Promise<readonly QueuedNotice[]> {
    const rows = await query<MailRow>(this.database.pool, {
      name: 'take-notice-mails',
      text: `with due as materialized (
               select id from notice_mails where due_at <= $1 order by due_at limit $3 for update skip locked)
             update notice_mails as m set due_at = $2, tries = m.tries + 1 from due where m.id = due.id
             returning m.id, m.mailbox, m.subject, m.body as text, m.html, m.queued_at, m.tries`,
      values: [this.#in(0), this.#in(leaseMs), count],
    });
    return rows.map(({ queued_at: queuedAt, ...mail }) => ({
      ...mail,
      queuedAtMs: queuedAt.getTime(),
    }));
  }

  async retry({ id, tries }: QueuedNotice, inMs: number): Promise<void> {
    await query(this.database.pool, {
      name: 'retry-notice-mail',
      text: 'update notice_mails set due_at = $3 where id = $1 and tries = $2',
      values: [id, tries, this.#in(inMs)],
    });
  }

  async remove({ id, tries }: QueuedNotice): Promise<void> {
    await query(this.database.pool, {
      name: 'remove-notice-mail',
      text: 'delete from notice_mails where id = $1 and tries = $2',
      values: [id, tries],
    });
  }

  async #dueMailboxes(on: Queryable): Promise<string[]> {
    const rows = await query<{ mailbox: string }>(on, {
      name: 'due-digests',
      text: 'select mailbox from notice_mailboxes where digest_due_at <= $1 order by digest_due_at limit 20',
      values: [this.#in(0)],
    });
    return rows.map(({ mailbox }) => mailbox);
  }

  async #digest(tx: Queryable, mailbox: string): Promise<void> {
    const notes = new PostgresNoticeTransaction(tx, this.clock);
    if (!(await notes.hasRoom())) return setDigestDue(tx, mailbox, this.#in(CROWDED_MS));
    const rows = await query<{ digest_text: string; count: string }>(tx, {
      name: 'notices-of-digest',
      // The kinds take turns: many of one kind hide none of another.
      text: `select digest_text, count(*) over () as count from notices
             where mailbox = $1 and digest_text is not null
             order by row_number() over (partition by kind order by noted_at, event_id), noted_at, event_id
             limit ${SHOWN_IN_DIGEST}`,
      values: [mailbox],
    });
    const texts = rows.map((row) => row.digest_text);
    if (rows[0]) await notes.queue(mailbox, digestMail(texts, Number(rows[0].count)));
    await query(tx, {
      name: 'end-digest',
      text: 'update notices set digest_text = null where mailbox = $1 and digest_text is not null',
      values: [mailbox],
    });
    await setDigestDue(tx, mailbox, null);
  }

  #inTurn<T>(work: (tx: Queryable) => Promise<T>): Promise<T> {
    return guarded(() =>
      this.database.transaction(async (tx) => {
        await query(tx, {
          name: 'lock-noting',
          text: 'select pg_advisory_xact_lock($1, hashtext(current_schema()))',
          values: [NOTING_LOCK],
        });
        return work(tx);
      }),
    );
  }

  #in(ms: number): string {
    return timeParameter(this.clock.nowMs() + ms);
  }
}

function keyOf({ agentId, recipient }: { readonly agentId: string; readonly recipient: string }): string {
  return `${agentId} ${recipient}`;
}

async function setDigestDue(tx: Queryable, mailbox: string, dueAt: string | null): Promise<void> {
  await query(tx, {
    name: 'set-digest-due',
    text: 'update notice_mailboxes set digest_due_at = $2 where mailbox = $1',
    values: [mailbox, dueAt],
  });
}
