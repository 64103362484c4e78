import { auditV1 } from '@agent-wallet/contracts';
import { type AuditFact, type EventRecord, type KeepPlace } from '@agent-wallet/events';
import { NAMED_TOKENS, newId, Secret } from '@agent-wallet/kernel';
import type { Database } from '@agent-wallet/platform';
import { openMigratedDatabase, openTestSchema, silent } from '@agent-wallet/platform/testing';
import PostalMime from 'postal-mime';
import { PostgresNoticeStore } from '../src/adapters/postgres-notice-store.js';
import { createSmtpMailer } from '../src/adapters/smtp-mailer.js';
import { MailNotices } from '../src/application/notices/mail-notices.js';
import { TakeNotices } from '../src/application/notices/take-notices.js';
import { consolePages, type ConsolePages } from '../src/domain/console-pages.js';
import { gatewayMigrations } from '../src/index.js';
import { type Inbox, startInbox } from './inbox.js';

/** Where owners sign in these tests. */
export const ORIGIN = 'https://owner.example.com';
export const WALLET = '8dPBF31QQuQKRZYMvnAmdVmF5NmKdLQ1aguQWrU1xRHc';

/** What a test says of an event beside its fact. */
type Change = Partial<Pick<auditV1.AuditEvent, 'askedBy' | 'askedFrom' | 'eventId'>> & { readonly agoMs?: number };

/** A notice as its reader sees it. */
export interface ReadNotice {
  readonly to: string;
  readonly subject: string;
  readonly body: string;
  readonly html: string;
}

/** Two replicas' desks of notices over real Postgres and a real mail server, with a clock that tests move. */
export class NoticeDesk {
  nowMs = Date.UTC(2026, 10, 24);
  readonly #replicas: Array<{ take: TakeNotices; mail: MailNotices; close(): Promise<void> }> = [];
  #people = 0;
  #turn = 0;

  private constructor(
    readonly database: Database,
    readonly inbox: Inbox,
    /** The gateway's login to the database. */
    readonly login: Parameters<typeof openTestSchema>[0],
    private readonly closeTest: () => Promise<void>,
  ) {}

  static async open(): Promise<NoticeDesk> {
    const test = await openMigratedDatabase([gatewayMigrations]);
    const open = () => openTestSchema(test.schemas.gateway, 'gateway');
    const desk = new NoticeDesk(open(), await startInbox(), test.schemas.gateway, () => test.close());
    for (let n = 0; n < 2; n += 1) desk.#replicas.push(desk.replica(open()));
    return desk;
  }

  /** The desk of one more gateway. */
  replica(database: Database, change: { readonly pages?: ConsolePages; readonly isOn?: boolean } = {}) {
    const clock = { nowMs: () => this.nowMs };
    const store = new PostgresNoticeStore(database, clock);
    const mailer = createSmtpMailer(new Secret(this.inbox.url), 'Wallet <wallet@example.com>');
    const close = async () => {
      mailer.close();
      await database.close();
    };
    const take = new TakeNotices({
      store,
      clock,
      pages: consolePages({ ownerOrigin: ORIGIN, hasOwnerConsole: true }),
      tokens: NAMED_TOKENS,
      isOn: true,
      ...change,
    });
    return { take, mail: new MailNotices({ store, mailer, clock, logger: silent }), close };
  }

  /** An agent with a mailbox. */
  async agent(): Promise<{ id: string; email: string }> {
    const agent = { id: newId(), email: `agent${(this.#people += 1)}@example.com` };
    await this.database.pool.query('insert into agents (id, email, address, created_at) values ($1, $2, $3, now())', [
      agent.id,
      agent.email,
      WALLET,
    ]);
    return agent;
  }

  /** An owner, of these agents. */
  async owner(...agentIds: string[]): Promise<{ id: string; email: string }> {
    const owner = { id: newId(), email: `person${(this.#people += 1)}@example.com` };
    await this.database.pool.query('insert into owners (id, email, created_at) values ($1, $2, now())', [
      owner.id,
      owner.email,
    ]);
    for (const agentId of agentIds) {
      const member = { ownerId: owner.id, role: 'owner', action: 'added' };
      await this.take(this.event(agentId, { $case: 'memberChanged', value: member }, { agoMs: 100 * 3_600_000 }));
    }
    return owner;
  }

  /** A session of an agent, opened now. */
  async session(agentId: string, network: string, familyId?: string): Promise<string> {
    const id = newId();
    const now = new Date(this.nowMs);
    await this.database.pool.query('update agents set first_login_at = $2 where id = $1 and first_login_at is null', [
      agentId,
      now,
    ]);
    await this.database.pool.query(
      `insert into sessions (id, agent_id, family_id, created_at, authenticated_at, expires_at, network)
       values ($1, $2, $3, $4, $4, $5, $6)`,
      [id, agentId, familyId ?? id, now, new Date(this.nowMs + 1_000_000), network],
    );
    return id;
  }

  /** An event of a fact, as its service would publish it. */
  event(agentId: string, fact: AuditFact, { agoMs = 0, eventId = newId(), ...change }: Change = {}): EventRecord {
    const origin = { source: 'policy', requestId: '', traceparent: '', ...change };
    const event = { eventId, agentId, occurredAtMs: BigInt(this.nowMs - agoMs), ...origin, fact };
    return { eventId, agentId, payload: auditV1.AuditEvent.encode(event).finish() };
  }

  /** Hands events to one replica. @returns whether something was noted */
  take(...events: EventRecord[]): Promise<boolean> {
    this.#turn += 1;
    return this.#replicas[this.#turn % 2]!.take.execute(events);
  }

  /** Hands a batch to both replicas at once. */
  async takeTwice(...events: EventRecord[]): Promise<void> {
    await Promise.all(this.#replicas.map(({ take }) => take.execute(events)));
  }

  /** Hands a batch to a replica that dies before its transaction is committed. */
  async takeAndDie(...events: EventRecord[]): Promise<void> {
    const die: KeepPlace = async () => {
      throw new Error('it died');
    };
    await this.#replicas[0]!.take.execute(events, die).catch(() => undefined);
  }

  /** Both replicas mail until nothing is due. */
  async mail(): Promise<void> {
    for (let more = true; more;) {
      const rounds = await Promise.all(this.#replicas.map(({ mail }) => mail.round()));
      more = rounds.some(Boolean);
    }
  }

  /** Hands events over, mails, and answers what a mailbox got by that. */
  async noticesOf(mailbox: string, ...events: EventRecord[]): Promise<ReadNotice[]> {
    const before = this.inbox.notices.length;
    if (events.length > 0) await this.take(...events);
    await this.mail();
    return Promise.all(
      this.inbox.notices
        .slice(before)
        .filter(({ to }) => to === mailbox)
        .map(readMail),
    );
  }

  async close(): Promise<void> {
    await Promise.all(this.#replicas.map((replica) => replica.close()));
    await this.inbox.close();
    await this.database.close();
    await this.closeTest();
  }
}

/** Decodes a mail. */
export async function readMail({ to, text }: { readonly to: string; readonly text: string }): Promise<ReadNotice> {
  const { subject = '', text: body = '', html = '' } = await PostalMime.parse(text);
  // The line end before a part's boundary belongs to the boundary.
  return { to, subject, body: body.replace(/\n$/, ''), html };
}
