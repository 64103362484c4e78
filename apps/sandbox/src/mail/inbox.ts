import { domainToASCII } from 'node:url';
import type { Journal } from '../journal/journal.js';
import { RecordType } from '../journal/record-types.js';

const KEPT = 5_000;

/** A mail as one of its recipients sees it. */
interface InboxMessage {
  readonly to: string;
  readonly subject: string;
  readonly text: string;
  /** Absent from a mail that has only text. */
  readonly html?: string;
  /** ISO 8601. */
  readonly receivedAt: string;
  /** Whether its header `Auto-Submitted` says that it was not asked for (RFC 3834). */
  readonly isAutomatic?: boolean;
}

/** Returns an address with its domain in Punycode, as SMTP carries it: the mail server shows the domain in Unicode. */
export function wireAddress(address: string): string {
  const at = address.lastIndexOf('@');
  return `${address.slice(0, at + 1)}${domainToASCII(address.slice(at + 1))}`;
}

/** The mails that arrived, the latest few thousand of them. */
export class Inbox {
  private messages: InboxMessage[] = [];

  constructor(private readonly journal: Journal) {}

  /** Takes back a mail that arrived before. */
  replay(payload: Buffer): void {
    this.keep(JSON.parse(payload.toString()) as InboxMessage);
  }

  /** Takes a mail in; resolves when it is safe to say so to the sender. */
  async add(message: InboxMessage): Promise<void> {
    this.journal.append(RecordType.mail, Buffer.from(JSON.stringify(message)));
    this.keep(message);
    await this.journal.synced();
  }

  /**
   * Newest first; of one recipient when one is named. What was asked for, such as a code, and what comes by itself are two
   * lists: who looks for the newest code never reads a notice.
   */
  list(to?: string, isAutomatic = false): InboxMessage[] {
    const wanted = to === undefined ? undefined : wireAddress(to).toLowerCase();
    return this.messages
      .filter((m) => wanted === undefined || m.to.toLowerCase() === wanted)
      .filter((m) => (m.isAutomatic ?? false) === isAutomatic)
      .reverse();
  }

  private keep(message: InboxMessage): void {
    this.messages.push(message);
    if (this.messages.length > 2 * KEPT) this.messages = this.messages.slice(-KEPT);
  }
}
