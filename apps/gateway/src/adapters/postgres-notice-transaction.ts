import { type Clock, newId } from '@agent-wallet/kernel';
import type { Queryable } from '@agent-wallet/platform';
import type { RenderedMail } from '../domain/mail/render-mail.js';
import {
  DAILY_NOTICES,
  DAILY_URGENT_NOTICES,
  DIGEST_AFTER_MS,
  NETWORK_KNOWN_MS,
  type Notice,
  NOTICE_QUEUE_LIMIT,
  type NoticeNames,
} from '../domain/notices/notice.js';
import type { NoticeReader, NoticeTransaction, SessionOrigin } from '../ports/notice-store.js';
import { endSessionsOfPasskey } from './postgres-owner-store.js';
import { query, timeParameter } from './query.js';

const DAY_MS = 24 * 3_600_000;

interface SessionRow {
  readonly network: string | null;
  readonly is_login: boolean;
  readonly is_first: boolean;
  readonly is_known: boolean;
}

/** The statements of a transaction that notes events. Its caller holds the lock of all of them. */
export class PostgresNoticeTransaction implements NoticeTransaction {
  constructor(
    private readonly tx: Queryable,
    private readonly clock: Clock,
  ) {}

  async addRecipient(agentId: string, address: string): Promise<boolean> {
    const added = await query(this.tx, {
      name: 'add-notice-recipient',
      text: `insert into notice_recipients (agent_id, address) values ($1, $2)
             on conflict do nothing returning agent_id`,
      values: [agentId, address],
    });
    return added.length > 0;
  }

  async addNetwork(agentId: string, sessionId: string): Promise<SessionOrigin | undefined> {
    const [session] = await query<SessionRow>(this.tx, {
      name: 'origin-of-session',
      // The network is what it was opened from, or a moment later used from. Sessions of the first login's second may be as
      // old as that: the first one of them knows no network.
      text: `select s.network, s.family_id = s.id as is_login,
               a.first_login_at is not null and s.created_at <= a.first_login_at
                 and not exists (select from notice_networks n where n.agent_id = s.agent_id) as is_first,
               exists (select from notice_networks n where n.agent_id = s.agent_id and n.network = s.network
                       and n.seen_at > $3) as is_known
             from sessions s join agents a on a.id = s.agent_id where s.id = $1 and s.agent_id = $2`,
      values: [sessionId, agentId, this.#in(-NETWORK_KNOWN_MS)],
    });
    if (!session?.network) return undefined;
    await query(this.tx, {
      name: 'add-notice-network',
      text: `insert into notice_networks (agent_id, network, seen_at) values ($1, $2, $3)
             on conflict (agent_id, network) do update set seen_at = excluded.seen_at`,
      values: [agentId, session.network, this.#in(0)],
    });
    if (session.is_first || session.is_known) return undefined;
    return { network: session.network, isLogin: session.is_login };
  }

  endSessionsOf(credentialId: Buffer): Promise<void> {
    return endSessionsOfPasskey(this.tx, credentialId);
  }

  async addMember(agentId: string, ownerId: string): Promise<void> {
    await query(this.tx, {
      name: 'add-notice-member',
      text: 'insert into notice_members (agent_id, owner_id) values ($1, $2) on conflict do nothing',
      values: [agentId, ownerId],
    });
  }

  async removeMember(agentId: string, ownerId: string): Promise<void> {
    await query(this.tx, {
      name: 'remove-notice-member',
      text: 'delete from notice_members where agent_id = $1 and owner_id = $2',
      values: [agentId, ownerId],
    });
  }

  async readersOf({ subjectId, fact }: Notice): Promise<readonly NoticeReader[]> {
    const claimedBy = claimantOf(fact);
    const rows = await query<{ email: string; is_owner: boolean }>(this.tx, {
      name: 'readers-of-notice',
      // The subject is an agent, or an owner alone. The agent's own mailbox reads until there is an owner, and what is about
      // one. A claim is read by who asked for it, too, and
      // an invitation by who is invited.
      text: `with members as (
               select o.email from notice_members m join owners o on o.id = m.owner_id where m.agent_id = $1)
             select email, true as is_owner from members
             union select email, true from owners where id = $1 or id = $2::uuid
             union select email, false from agents where id = $1 and ($3 or not exists (select from notice_members where agent_id = $1))
             order by email, is_owner desc`,
      values: [subjectId, claimedBy ?? null, claimedBy !== undefined || fact.kind === 'member_changed'],
    });
    const byMailbox = new Map<string, NoticeReader>();
    for (const { email: mailbox, is_owner: isOwner } of rows) {
      if (!byMailbox.has(mailbox)) byMailbox.set(mailbox, { mailbox, isOwner });
    }
    return [...byMailbox.values()];
  }

  async namesOf({ subjectId, askedBy, fact }: Notice): Promise<NoticeNames> {
    const asker = askedBy?.startsWith('owner ') ? askedBy.slice('owner '.length) : undefined;
    const about =
      fact.kind === 'approval_requested' ? fact.request.ownerId : 'ownerId' in fact ? fact.ownerId : undefined;
    const [agents, owners, operation] = [
      await query<{ email: string; address: string | null }>(this.tx, {
        name: 'agent-of-notice',
        text: 'select email, address from agents where id = $1',
        values: [subjectId],
      }),
      await query<{ id: string; email: string }>(this.tx, {
        name: 'owners-of-notice',
        text: 'select id, email from owners where id = any ($1::uuid[])',
        values: [[asker, about].filter((id) => id !== undefined)],
      }),
      await this.#operation(operationIdOf(fact)),
    ];
    const agent = agents[0] && { email: agents[0].email, address: agents[0].address ?? undefined };
    return { agent, owners: new Map(owners.map(({ id, email }) => [id, email])), operation };
  }

  async note(eventId: string, mailbox: string, kind: string): Promise<boolean> {
    const noted = await query(this.tx, {
      name: 'note-event',
      text: `insert into notices (event_id, mailbox, kind, noted_at) values ($1, $2, $4, $3)
             on conflict do nothing returning event_id`,
      values: [eventId, mailbox, this.#in(0), kind],
    });
    return noted.length > 0;
  }

  async takeAllowance(mailbox: string, isUrgent: boolean): Promise<boolean> {
    const [taken] = await query<{ mailed: number; urgent: number }>(this.tx, {
      name: 'take-notice-allowance',
      text: `insert into notice_mailboxes as m (mailbox, day_began_at, mailed, urgent) values ($1, $2, $4, $5)
             on conflict (mailbox) do update set
               day_began_at = case when m.day_began_at <= $3 then excluded.day_began_at else m.day_began_at end,
               mailed = case when m.day_began_at <= $3 then 0 else m.mailed end + excluded.mailed,
               urgent = case when m.day_began_at <= $3 then 0 else m.urgent end + excluded.urgent
             returning mailed, urgent`,
      values: [mailbox, this.#in(0), this.#in(-DAY_MS), isUrgent ? 0 : 1, isUrgent ? 1 : 0],
    });
    const { mailed, urgent } = taken!;
    const isWithin = isUrgent ? urgent <= DAILY_URGENT_NOTICES : mailed <= DAILY_NOTICES;
    return isWithin && this.hasRoom();
  }

  /** Reports whether the queue of mails has room. */
  async hasRoom(): Promise<boolean> {
    const [row] = await query<{ has_room: boolean }>(this.tx, {
      name: 'room-for-notices',
      text: 'select count(*) < $1 as has_room from notice_mails',
      values: [NOTICE_QUEUE_LIMIT],
    });
    return row?.has_room ?? false;
  }

  async queue(mailbox: string, { subject, text, html }: RenderedMail): Promise<void> {
    await query(this.tx, {
      name: 'queue-notice-mail',
      text: `insert into notice_mails (id, mailbox, subject, body, html, queued_at, due_at)
             values ($1, $2, $3, $4, $5, $6, $6)`,
      values: [newId(), mailbox, subject, text, html, this.#in(0)],
    });
  }

  async hold(eventId: string, mailbox: string, text: string): Promise<void> {
    await query(this.tx, {
      name: 'hold-notice',
      text: 'update notices set digest_text = $3 where event_id = $1 and mailbox = $2',
      values: [eventId, mailbox, text],
    });
    await query(this.tx, {
      name: 'await-digest',
      text: 'update notice_mailboxes set digest_due_at = coalesce(digest_due_at, $2) where mailbox = $1',
      values: [mailbox, this.#in(DIGEST_AFTER_MS)],
    });
  }

  async #operation(operationId: string | undefined): Promise<NoticeNames['operation']> {
    if (operationId === undefined) return undefined;
    const [row] = await query<{ action: string; network: string | null }>(this.tx, {
      name: 'operation-of-notice',
      text: 'select action, network from idempotency_records where operation_id = $1',
      values: [operationId],
    });
    return row && { action: row.action, network: row.network ?? undefined };
  }

  #in(ms: number): string {
    return timeParameter(this.clock.nowMs() + ms);
  }
}

/** Returns the owner who claims an agent, when a fact is about that. */
function claimantOf(fact: Notice['fact']): string | undefined {
  if (fact.kind === 'claim_signed' || fact.kind === 'claim_ended') return fact.ownerId;
  if (fact.kind === 'member_changed' && fact.action === 'invited') return fact.ownerId;
  return fact.kind === 'approval_requested' && fact.request.type === 'claim' ? fact.request.ownerId : undefined;
}

function operationIdOf(fact: Notice['fact']): string | undefined {
  if (fact.kind === 'large_spend') return fact.operationId;
  if (fact.kind === 'new_recipient') return fact.payment.operationId;
  return fact.kind === 'approval_requested' ? fact.request.operationId : undefined;
}
