import { Readable } from 'node:stream';
import type { ChangeEvent, ChangePlace } from './change-event.js';

/** Text that a reader who does not read may have waiting; past it the stream is cut, and the reader resumes. */
const MAX_WAITING_BYTES = 256 * 1024;
/** The caller of a stream, to whom it is given for as long as the session stands. */
export type StreamReader = { /** The client's network. */ readonly client: string } & (
  | {
      readonly kind: 'agent';
      readonly agentId: string;
      readonly sessionId: string;
      /** The scoped token that reads; undefined for a session. */
      readonly tokenId: string | undefined;
    }
  | { readonly kind: 'owner'; readonly ownerId: string; readonly tokenHash: Buffer }
);

/** Server-Sent Events of one reader: each change of its agents once, in the order in which they were recorded. */
export class ChangeStream {
  /** Bytes for the client. It closes when the client leaves. */
  readonly body = new Readable({ read: () => undefined });
  #hasEnded = false;
  /** Position of the log up to which the reader has everything. */
  #position = 0n;
  /** Place of the latest event that was written. */
  #place: ChangePlace | undefined;

  constructor(
    readonly reader: StreamReader,
    public agentIds: readonly string[],
    /** After a cut, the reader comes back after so long. */
    private readonly retryMs: number,
  ) {
    // What fails here is one client's connection.
    this.body.on('error', () => this.body.destroy());
  }

  /** Whether it has begun and not ended. */
  get isLive(): boolean {
    return this.#place !== undefined && !this.hasEnded;
  }

  /** Whether nothing is written any more. */
  get hasEnded(): boolean {
    return this.#hasEnded || this.body.destroyed;
  }

  /**
   * Begins with the place from which the reader can resume.
   * @param event `ready`, or `reset` for a reader who has missed more than is sent again
   */
  begin(event: 'ready' | 'reset', place: ChangePlace): void {
    this.#place = place;
    this.#write(`retry: ${this.retryMs}\nid: ${this.#idOf(place)}\nevent: ${event}\ndata: {}\n\n`);
  }

  /** Asks the reader to read again what it shows: the place stays where it is. */
  reset(): void {
    if (this.#place) this.#write(`id: ${this.#idOf(this.#place)}\nevent: reset\ndata: {}\n\n`);
  }

  /** Writes a change that is new to the reader. Changes come in the order of the log. */
  take(change: ChangeEvent): void {
    if (change.position <= this.#position) return;
    this.#position = change.position;
    this.#place = change;
    this.#write(`id: ${this.#idOf(change)}\nevent: change\ndata: ${change.json}\n\n`);
  }

  /** Skips the changes up to a position of the log: the reader has what it wants of them. */
  skipTo(position: bigint): void {
    this.#position = position;
  }

  /** Writes a comment, so that proxies and clients see that the connection lives. */
  beat(): void {
    this.#write(':\n\n');
  }

  /** Ends the response in good order: the reader comes back with the place it had reached. */
  end(): void {
    if (this.hasEnded) return;
    this.#hasEnded = true;
    this.body.push(null);
  }

  #idOf({ agentId, sequence }: ChangePlace): string {
    return this.reader.kind === 'agent' ? `${sequence}` : `${agentId}:${sequence}`;
  }

  #write(text: string): void {
    if (this.hasEnded) return;
    this.body.push(text);
    if (this.body.readableLength > MAX_WAITING_BYTES) this.body.destroy();
  }
}

const AGENT_ID = /^\d{1,15}$/;
const OWNER_ID = /^([0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}):(\d{1,15})$/;

/** Reads the id of an event as a place; undefined for text that no stream of this reader has written. */
export function readPlace({ kind, ...reader }: StreamReader, id: string): ChangePlace | undefined {
  if (kind === 'agent') {
    return AGENT_ID.test(id) ? { agentId: (reader as { agentId: string }).agentId, sequence: BigInt(id) } : undefined;
  }
  const [, agentId, sequence] = OWNER_ID.exec(id) ?? [];
  return agentId === undefined ? undefined : { agentId, sequence: BigInt(sequence!) };
}
