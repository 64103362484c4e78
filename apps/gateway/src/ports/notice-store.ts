import type { KeepPlace } from '@agent-wallet/events';
import type { RenderedMail } from '../domain/mail/render-mail.js';
import type { Notice, NoticeNames } from '../domain/notices/notice.js';

/** A mailbox that a notice goes to. */
export interface NoticeReader {
  readonly mailbox: string;
  /** Whether it is an owner's; otherwise it is the agent's own. */
  readonly isOwner: boolean;
}

/** The origin of a session. */
export interface SessionOrigin {
  readonly network: string;
  /** Whether a mailed code opened it, and not a refresh. */
  readonly isLogin: boolean;
}

/** A mail that waits for the mail server, as one try of it was claimed. */
export interface QueuedNotice {
  readonly id: string;
  readonly mailbox: string;
  readonly subject: string;
  readonly text: string;
  readonly html: string;
  /** Unix milliseconds. */
  readonly queuedAtMs: number;
  /** Number of this try, from 1. It fences the claim: a later try ends an earlier one. */
  readonly tries: number;
}

/** A payment or a session that may be news. */
export type Candidate =
  | { readonly kind: 'payment'; readonly agentId: string; readonly recipient: string }
  | { readonly kind: 'session'; readonly agentId: string; readonly sessionId: string };

/** Steps of one transaction, during which no other replica notes an event. */
export interface NoticeTransaction {
  /** Remembers a recipient. False when the agent has paid it before. */
  addRecipient(agentId: string, address: string): Promise<boolean>;
  /** Remembers the network of a session. Undefined when it is known, or the session is the first of its agent. */
  addNetwork(agentId: string, sessionId: string): Promise<SessionOrigin | undefined>;
  /** Ends the sessions that a passkey opened. */
  endSessionsOf(credentialId: Buffer): Promise<void>;
  addMember(agentId: string, ownerId: string): Promise<void>;
  removeMember(agentId: string, ownerId: string): Promise<void>;
  readersOf(notice: Notice): Promise<readonly NoticeReader[]>;
  namesOf(notice: Notice): Promise<NoticeNames>;
  /** Notes an event for a mailbox. False when it was noted before. */
  note(eventId: string, mailbox: string, kind: string): Promise<boolean>;
  /** Counts a notice, and says whether it may be mailed by itself: the day's allowance and the queue have room. */
  takeAllowance(mailbox: string, isUrgent: boolean): Promise<boolean>;
  queue(mailbox: string, mail: RenderedMail): Promise<void>;
  /** Keeps a notice for the mailbox's next digest. */
  hold(eventId: string, mailbox: string, text: string): Promise<void>;
}

/** Notices, what they need to be remembered, and their mails. */
export interface NoticeStore {
  /** Reports which candidates may be news; only reads. */
  news(candidates: readonly Candidate[]): Promise<readonly boolean[]>;
  /** Runs work that notes events, all or nothing, and keeps the stream's place with it. */
  noting(work: (tx: NoticeTransaction) => Promise<void>, keepPlace: KeepPlace | undefined): Promise<void>;
  /** Queues the digests that are due, while the queue has room. @returns how many */
  queueDigests(): Promise<number>;
  /** Claims mails that are due. No other replica gets them for `leaseMs`. */
  takeDue(count: number, leaseMs: number): Promise<readonly QueuedNotice[]>;
  /** Sets when the next try is due, unless another one has begun. */
  retry(mail: QueuedNotice, inMs: number): Promise<void>;
  /** Takes a mail out of the queue, unless another try has begun. */
  remove(mail: QueuedNotice): Promise<void>;
}
