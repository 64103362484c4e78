import { isSame } from '../bytes.js';
import { NO_HASH } from './hashes.js';
import { disorderOf } from './order.js';
import type { Finding, StoredEvent } from './records.js';

/** An event that hashes to its own hash: only its place can be wrong. */
interface Item {
  readonly number: number;
  readonly event: Place;
  readonly previousHash: Uint8Array;
  readonly hash: Uint8Array;
}

type Place = Pick<StoredEvent, 'position' | 'eventId' | 'agentId' | 'sequence'>;

/** Problems in the chain of one agent. */
export interface ChainProblems {
  readonly findings: readonly Finding[];
  /** Numbers of events that are not there; one that was altered is not there either. */
  readonly missing: readonly number[];
}

/** More are not listed one by one. */
const MOST_LISTED = 1_000;

/** The chain of one agent, event by event. Nothing is kept of it until something is wrong. */
export class AgentChain {
  #size = 0;
  #hash: Uint8Array = NO_HASH;
  #last: Place | undefined;
  #rest: Item[] | undefined;
  readonly #findings: Finding[] = [];

  constructor(
    readonly agentId: string,
    /** Number of signed events. */
    private readonly signedSize: number,
  ) {}

  /** Events in order up to here. */
  get size(): number {
    return this.#rest ? Math.max(this.#size, ...this.#rest.map(({ number }) => number)) : this.#size;
  }

  /** Takes the next event; its bytes were found to be those of its hash. */
  add(event: StoredEvent): void {
    const { position, eventId, agentId, sequence, previousHash, hash } = event;
    const item = { number: sequence, event: { position, eventId, agentId, sequence }, previousHash, hash };
    if (!this.#rest && sequence === this.#size + 1) this.#follow(item);
    else (this.#rest ??= []).push(item);
  }

  #follow({ number, event, previousHash, hash }: Item): void {
    if (!isSame(previousHash, this.#hash)) {
      const before = this.#last ?? event;
      const cause = { code: 'next_follows_other_hash', nextEventId: event.eventId } as const;
      this.#findings.push({ problem: 'altered', record: 'event', ...before, cause });
    }
    [this.#size, this.#hash, this.#last] = [number, hash, event];
  }

  /** Returns the problems, once all events were seen. */
  finish(): ChainProblems {
    const rest = this.#rest ?? [];
    const first = this.#size + 1;
    const { kept, excluded, missing } = disorderOf(rest, first);
    const numbers = new Set(kept.map(({ number }) => number));
    for (const { event, number } of excluded) {
      const isTwice = number < first || numbers.has(number);
      const cause = { code: isTwice ? 'number_used_twice' : 'number_out_of_order', number } as const;
      this.#findings.push({ problem: isTwice ? 'inserted' : 'reordered', record: 'event', ...event, cause });
    }
    // An event in a wrong place is still part of the chain. A missing one breaks it, and is reported as missing.
    const whole = new Map([...excluded, ...kept].map((item) => [item.number, item]));
    for (const number of [...whole.keys()].filter((each) => each >= first).sort((a, b) => a - b)) {
      const item = whole.get(number)!;
      if (number > this.#size + 1) this.#hash = item.previousHash;
      this.#follow(item);
    }
    return { findings: this.#findings, missing: [...missing, ...this.#beyond()] };
  }

  /** Returns the numbers of events that were signed and are missing. */
  #beyond(): number[] {
    const count = Math.max(0, Math.min(this.signedSize - this.#size, MOST_LISTED));
    return Array.from({ length: count }, (_, n) => this.#size + 1 + n);
  }
}
