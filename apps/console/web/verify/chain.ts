import {
  type AuditEvent,
  eventHash,
  fromBase64,
  fromHex,
  HASH_BYTES,
  isSame,
  objectOf,
  readEvent,
} from '@agent-wallet/audit';
import type { Alteration, Finding, Place, ProofPage } from './report.js';

const NO_HASH = '0'.repeat(2 * HASH_BYTES);

/** An event that was read, believed or not. */
export interface TakenEvent extends Place {
  readonly event: AuditEvent;
}

/** An event of a page, decoded. */
interface Item extends Place {
  readonly hash: string;
  readonly previousHash: string;
  readonly wrong: Alteration | undefined;
  readonly event: AuditEvent | undefined;
}

/** The chain of one agent or owner, page by page. */
export class Chain {
  readonly #findings: Finding[] = [];
  readonly #hashes = new Map<number, Item>();
  /** Numbers that were passed over, which may still come. */
  readonly #gaps = new Set<number>();
  /** Events with the last number: more than one when one of them was inserted. */
  #last: Item[] = [];
  #end = 0;
  #events = 0;
  #intact = 0;
  #pages = 0;

  constructor(
    /** Agent or owner whose chain it is. */
    readonly subject: string,
  ) {}

  /** Events that were read. */
  get events(): number {
    return this.#events;
  }

  /** Events that agree with their hash and payload. */
  get intact(): number {
    return this.#intact;
  }

  /** Number of the last event. */
  get end(): number {
    return this.#end;
  }

  /** Returns the event with a number, with its hash in hexadecimal. */
  at(sequence: number): (Place & { readonly hash: string }) | undefined {
    return this.#hashes.get(sequence);
  }

  /** Takes the next page. Returns its events; undefined for a page that is not one of this chain. */
  add(page: ProofPage): TakenEvent[] | undefined {
    this.#pages += 1;
    const { subject } = this;
    if (page.agentId !== subject) {
      this.#findings.push({ code: 'page_of_another', subject, page: this.#pages, found: String(page.agentId) });
      return undefined;
    }
    if (!isWellFormed(page)) {
      this.#findings.push({ code: 'page_malformed', subject, page: this.#pages });
      return undefined;
    }
    const items = page.events.map((_, n) => itemOf(page, n));
    for (const item of items) this.#take(item);
    return items.flatMap(({ eventId, sequence, event }) => (event ? [{ subject, eventId, sequence, event }] : []));
  }

  /** Notes a page that promises more and brings nothing new. */
  noteEndless(): void {
    this.#findings.push({ code: 'page_without_progress', subject: this.subject, page: this.#pages });
  }

  #take(item: Item): void {
    this.#events += 1;
    if (item.wrong) this.#report({ code: 'event_altered', what: item.wrong }, item);
    else this.#intact += 1;
    // Of an altered event the number is not believed: it stands where one is due.
    const sequence = item.wrong ? this.#end + 1 : item.sequence;
    if (sequence <= this.#end) {
      this.#takeLate(item);
      return;
    }
    this.#follow(item, sequence);
    for (let number = this.#end + 1; number < sequence && number <= this.#end + MOST_GAPS; number += 1) {
      this.#gaps.add(number);
    }
    if (sequence - this.#end > MOST_GAPS) this.#gaps.add(sequence - 1);
    this.#end = sequence;
    this.#last = [item];
    this.#hashes.set(sequence, item);
  }

  #takeLate(item: Item): void {
    const { sequence } = item;
    if (this.#gaps.delete(sequence)) {
      this.#hashes.set(sequence, item);
      this.#report({ code: 'event_reordered' }, item);
    } else if (sequence === this.#end) {
      this.#last.push(item);
    } else {
      this.#report({ code: 'event_inserted' }, item);
    }
  }

  /** Holds the link of the next event against the events with the last number. */
  #follow(next: Item, sequence: number): void {
    if (sequence !== this.#end + 1) {
      this.#closeLast(undefined);
      return;
    }
    if (this.#end === 0) {
      const isFirst = next.wrong !== undefined || next.previousHash === NO_HASH;
      if (!isFirst) this.#report({ code: 'event_altered', what: 'rehashed' }, next);
      return;
    }
    const before = this.#last.find(({ hash }) => hash === next.previousHash);
    if (!before && !next.wrong && this.#last.every(({ wrong }) => !wrong)) {
      this.#report({ code: 'event_altered', what: 'rehashed' }, this.#last[0]!);
    }
    this.#closeLast(before);
  }

  /** Names the events with the last number that the chain does not go through. */
  #closeLast(kept: Item | undefined): void {
    const genuine = kept ?? this.#last.find(({ wrong }) => !wrong) ?? this.#last[0];
    if (genuine) this.#hashes.set(this.#end, genuine);
    for (const item of this.#last) {
      if (item !== genuine && !item.wrong) this.#report({ code: 'event_inserted' }, item);
    }
  }

  #report(
    found: { code: 'event_altered'; what: Alteration } | { code: 'event_reordered' | 'event_inserted' },
    { subject, eventId, sequence }: Place,
  ): void {
    this.#findings.push({ ...found, subject, eventId, sequence });
  }

  /** Returns the problems, once all pages were taken. */
  finish(): Finding[] {
    this.#closeLast(undefined);
    const missing: { first: number; last: number }[] = [];
    for (const number of [...this.#gaps].sort((a, b) => a - b)) {
      const range = missing.at(-1);
      if (range?.last === number - 1) range.last = number;
      else missing.push({ first: number, last: number });
    }
    const gaps = missing.map((range) => ({ code: 'event_missing', subject: this.subject, ...range }) as const);
    return [...this.#findings, ...gaps];
  }
}

/** Numbers of a gap that are kept one by one: more could be made up. */
const MOST_GAPS = 10_000;

function isWellFormed({ events, chain }: ProofPage): boolean {
  if (!Array.isArray(events) || !Array.isArray(chain) || events.length !== chain.length) return false;
  const links: readonly unknown[] = chain;
  return events.every((event: unknown, n) => {
    const [{ eventId, payload }, link] = [objectOf(event), objectOf(links[n])];
    const texts = [eventId, payload, link.hash, link.previousHash];
    return texts.every((text) => typeof text === 'string') && link.eventId === eventId;
  });
}

function itemOf({ agentId: subject, events, chain }: ProofPage, n: number): Item {
  const { eventId, sequence, occurredAt, payload } = events[n]!;
  const { hash, previousHash } = chain[n]!;
  const place = { subject, eventId, sequence };
  const bytes = fromBase64(payload);
  if (!bytes) return { ...place, hash, previousHash, wrong: 'payload', event: undefined };
  const event = orNone(() => readEvent(bytes));
  const [given, previous] = [fromHex(hash), fromHex(previousHash)];
  const computed =
    previous && eventHash({ agentId: subject, eventId, sequence, payload: bytes, previousHash: previous });
  const isItself = computed !== undefined && given !== undefined && isSame(computed, given);
  const wrong = (event ? differenceOf(place, occurredAt, event) : 'payload') ?? (isItself ? undefined : 'hash');
  return { ...place, hash, previousHash, wrong, event };
}

function differenceOf({ subject, eventId }: Place, occurredAt: string, event: AuditEvent): Alteration | undefined {
  if (event.eventId.toLowerCase() !== eventId) return 'id';
  if (event.agentId.toLowerCase() !== subject) return 'agent';
  return Date.parse(occurredAt) === Number(event.occurredAtMs) ? undefined : 'time';
}

function orNone<Value>(work: () => Value): Value | undefined {
  try {
    return work();
  } catch {
    return undefined;
  }
}
