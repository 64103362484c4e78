import { type Bytes, fromBase64, fromHex } from '../bytes.js';
import { objectOf } from '../owners/document.js';
import type { PageCause } from './cause.js';
import type { Finding, StoredCheckpoint, StoredEvent } from './records.js';

/** A part of the chain of one agent or owner, as the API returns it. */
export interface ProofPage {
  readonly agentId: string;
  readonly events: readonly ProofEvent[];
  /** Links of the events, in their order. */
  readonly chain: readonly { readonly eventId: string; readonly hash: string; readonly previousHash: string }[];
  /** The latest; null before the first. */
  readonly checkpoint: ProofCheckpoint | null;
  readonly hasMore: boolean;
  readonly lastEventId: string | null;
}

/** An event of a page. */
export interface ProofEvent {
  readonly eventId: string;
  readonly sequence: number;
  readonly occurredAt: string;
  /** Base64. */
  readonly payload: string;
}

/** A signed checkpoint of a page. */
export interface ProofCheckpoint {
  readonly size: number;
  /** Hexadecimal. */
  readonly rootHash: string;
  /** Base64. */
  readonly signature: string;
  /** The public key in base58. */
  readonly keyId: string;
  readonly signedAt: string;
}

/** Pages of one chain, from its first event. Nothing that a page says is believed. */
export class ProofPages {
  readonly events: StoredEvent[] = [];
  readonly findings: Finding<PageCause>[] = [];
  readonly #checkpoints = new Map<string, StoredCheckpoint>();
  readonly #cursors = new Set<string>();
  #pages = 0;

  /** @param agentId agent or owner whose chain it is */
  constructor(private readonly agentId: string) {}

  /** Checkpoints, each once: pages that are read over a while have several. */
  get checkpoints(): readonly StoredCheckpoint[] {
    return [...this.#checkpoints.values()];
  }

  /** Takes the next page. Returns the ID of the event after which the page after it begins; undefined at the end. */
  add(page: ProofPage): string | undefined {
    this.#pages += 1;
    const { agentId } = this;
    if (page.agentId !== agentId) {
      return this.#end('inserted', { code: 'page_of_other', page: this.#pages, found: String(page.agentId) });
    }
    const events = eventsOf(page);
    if (!events) return this.#end('altered', { code: 'page_malformed', page: this.#pages });
    for (const event of events) this.events.push(event);
    if (page.checkpoint) {
      this.#checkpoints.set(JSON.stringify(page.checkpoint), checkpointOf(agentId, page.checkpoint));
    }
    if (!page.hasMore) return undefined;
    const after = events.at(-1)?.eventId;
    if (after === undefined || this.#cursors.has(after)) {
      return this.#end('missing', { code: 'page_without_progress', page: this.#pages });
    }
    this.#cursors.add(after);
    return after;
  }

  #end(problem: Finding['problem'], cause: PageCause): undefined {
    this.findings.push({ problem, record: 'page', agentId: this.agentId, cause });
  }
}

function eventsOf({ agentId, events, chain }: ProofPage): StoredEvent[] | undefined {
  if (!Array.isArray(events) || !Array.isArray(chain) || events.length !== chain.length) return undefined;
  const links: readonly unknown[] = chain;
  const read = events.map((event: unknown, n) => eventOf(agentId, objectOf(event), objectOf(links[n])));
  return read.every((event) => event !== undefined) ? read : undefined;
}

function eventOf(
  agentId: string,
  { eventId, sequence, occurredAt, payload }: Partial<Record<keyof ProofEvent, unknown>>,
  link: Readonly<Record<string, unknown>>,
): StoredEvent | undefined {
  if (typeof eventId !== 'string' || link.eventId !== eventId || typeof payload !== 'string') return undefined;
  if (typeof link.hash !== 'string' || typeof link.previousHash !== 'string') return undefined;
  const bytes = fromBase64(payload);
  if (!bytes) return undefined;
  return {
    ...{ kind: 'event', position: undefined, eventId, agentId, sequence: Number(sequence) },
    // No event has a time that is none.
    occurredAtMs: Date.parse(String(occurredAt)) || 0,
    ...{ previousHash: fromHex(link.previousHash) ?? NONE, hash: fromHex(link.hash) ?? NONE, payload: bytes },
  };
}

function checkpointOf(
  agentId: string,
  { size, rootHash, signature, keyId, signedAt }: ProofCheckpoint,
): StoredCheckpoint {
  return {
    ...{ kind: 'checkpoint', scope: `agent:${agentId}`, size, keyId: String(keyId) },
    ...{ rootHash: fromHex(String(rootHash)) ?? NONE, signature: fromBase64(String(signature)) ?? NONE },
    signedAtMs: Date.parse(String(signedAt)),
  };
}

/** Bytes that no hash and no signature has. */
const NONE: Bytes = new Uint8Array(0);
