import type { EventRecord, KeepPlace } from '@agent-wallet/events';
import { type Clock, isUuid, type NamedToken } from '@agent-wallet/kernel';
import type { ConsolePages } from '../../domain/console-pages.js';
import { isUrgent, NOTED_WITHIN_MS, type Notice, type NoticeFact } from '../../domain/notices/notice.js';
import type { Candidate, NoticeStore, NoticeTransaction } from '../../ports/notice-store.js';
import { noticeMail } from './notice-mail.js';
import { type ReadEvent, readNotice } from './read-notice.js';

/** Dependencies of TakeNotices. */
interface TakeNoticesDependencies {
  readonly store: NoticeStore;
  readonly clock: Clock;
  readonly pages: ConsolePages;
  /** Tokens that have a symbol on the deployment's network. */
  readonly tokens: readonly NamedToken[];
  /** Whether notices are mailed. What they need is remembered anyway. */
  readonly isOn: boolean;
}

/**
 * Notes what the owners of agents are to know, once for each event and mailbox. What is noted, counted and queued is one
 * transaction, so that neither a crash nor a second delivery mails an event twice. Most events are expected and cost a
 * read at most.
 */
export class TakeNotices {
  constructor(private readonly dependencies: TakeNoticesDependencies) {}

  /** @returns whether something was noted */
  async execute(batch: readonly EventRecord[], keepPlace?: KeepPlace): Promise<boolean> {
    const { store, clock } = this.dependencies;
    const earliestMs = clock.nowMs() - NOTED_WITHIN_MS;
    const read = batch.flatMap((record) => readNotice(record) ?? []);
    const events = await this.#news(
      read.filter(({ occurredAtMs, fact }) => occurredAtMs > earliestMs || hasEffect(fact)),
    );
    if (events.length === 0) return false;
    await store.noting(async (tx) => {
      for (const event of events) await this.#take(tx, event, event.occurredAtMs > earliestMs);
    }, keepPlace);
    return true;
  }

  async #news(events: readonly ReadEvent[]): Promise<ReadEvent[]> {
    const candidates = events.map(candidateOf);
    const asked = candidates.filter((candidate) => candidate !== undefined);
    if (asked.length === 0) return [...events];
    const answers = await this.dependencies.store.news(asked);
    const news = new Set(asked.filter((_, index) => answers[index]));
    return events.filter((_, index) => candidates[index] === undefined || news.has(candidates[index]));
  }

  async #take(tx: NoticeTransaction, event: ReadEvent, isRecent: boolean): Promise<void> {
    const { fact, subjectId } = event;
    if (fact.kind === 'passkey_changed' && fact.action === 'removed') await tx.endSessionsOf(fact.credentialId);
    if (fact.kind === 'member_changed' && fact.action === 'added') await tx.addMember(subjectId, fact.ownerId);
    const decided = isRecent ? await decide(tx, event) : undefined;
    if (decided && this.dependencies.isOn) await this.#note(tx, { ...event, fact: decided });
    // Who is removed gets this notice, too.
    if (fact.kind === 'member_changed' && fact.action === 'removed') await tx.removeMember(subjectId, fact.ownerId);
  }

  async #note(tx: NoticeTransaction, notice: Notice): Promise<void> {
    const { pages, tokens } = this.dependencies;
    const readers = await tx.readersOf(notice);
    const names = await tx.namesOf(notice);
    const noted = notedAs(notice);
    for (const { mailbox, isOwner } of readers) {
      if (!(await tx.note(noted, mailbox, notice.fact.kind))) continue;
      const { mail, brief } = noticeMail(notice, names, { isOwner, pages, tokens });
      if (await tx.takeAllowance(mailbox, isUrgent(notice.fact))) await tx.queue(mailbox, mail);
      else await tx.hold(noted, mailbox, brief);
    }
  }
}

/**
 * Returns the ID under which a mailbox gets a notice once: of a request the approval's, because it is published again when its
 * owner chooses another trust.
 */
function notedAs({ eventId, fact }: Notice): string {
  return fact.kind === 'approval_requested' && isUuid(fact.approvalId) ? fact.approvalId : eventId;
}

/** Decides on an event by what is remembered; undefined when it was expected. */
async function decide(tx: NoticeTransaction, { subjectId, fact }: ReadEvent): Promise<NoticeFact | undefined> {
  if (fact.kind === 'session_opened') {
    const origin = await tx.addNetwork(subjectId, fact.sessionId);
    return origin && { kind: 'new_network', ...origin };
  }
  if (fact.kind !== 'new_recipient') return fact;
  return (await tx.addRecipient(subjectId, fact.payment.recipient)) ? fact : undefined;
}

function candidateOf({ subjectId: agentId, fact }: ReadEvent): Candidate | undefined {
  if (fact.kind === 'session_opened') return { kind: 'session', agentId, sessionId: fact.sessionId };
  if (fact.kind === 'new_recipient') return { kind: 'payment', agentId, recipient: fact.payment.recipient };
  return undefined;
}

/** Reports whether an event changes owners or their passkeys, which counts at any age. */
function hasEffect({ kind }: ReadEvent['fact']): boolean {
  return kind === 'member_changed' || kind === 'passkey_changed';
}
