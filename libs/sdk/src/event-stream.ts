import { NoAnswerError } from './errors.js';
import { pause, type Transport } from './transport.js';

/** A change of the wallet: what to read again. */
export interface Change {
  readonly type: 'change';
  /** Place in the chain of the agent's events, without gaps. Give the last one as `after` to go on there. */
  readonly sequence: number;
  readonly eventId: string;
  /** Type of the event: `agentwallet.operation.confirmed.v1`. */
  readonly eventType: string;
  readonly occurredAt: string | null;
  /** Action of the operation that it is about. */
  readonly action: string | null;
  readonly transactionId: string | null;
}

/**
 * A change, or the state of the stream. `ready`: changes follow. `reset`: changes were missed that do not come again, so
 * read again all that you show.
 */
export type StreamEvent = Change | { readonly type: 'ready' | 'reset' };

/** Options of a stream. */
export interface FollowOptions {
  /** The sequence of the last change that you have; what came after it comes first. */
  readonly after?: number | undefined;
  readonly signal?: AbortSignal | undefined;
}

const RECONNECT_MS = 500;
const LONGEST_RECONNECT_MS = 15_000;

/**
 * Follows the changes of a wallet, and reconnects when a stream is cut. Sequences have no gaps: a change that came before
 * is left out, and a gap is asked for again, then reported as `reset`.
 * @throws ApiError when the session has ended, NoAnswerError for a host that was never reached, and what the signal aborts
 *   with
 */
export async function* follow(
  transport: Transport,
  { after, signal }: FollowOptions = {},
): AsyncGenerator<StreamEvent, void, undefined> {
  const place = new Place(after);
  for (let waitMs = RECONNECT_MS; ; waitMs = Math.min(waitMs * 2, LONGEST_RECONNECT_MS)) {
    const stop = new AbortController();
    const within = signal ? AbortSignal.any([signal, stop.signal]) : stop.signal;
    try {
      for await (const event of connection(transport, place.last, within)) {
        waitMs = RECONNECT_MS;
        if (event.type !== 'change') {
          place.begin(event);
          yield { type: event.type };
          continue;
        }
        const verdict = place.take(event.sequence);
        if (verdict === 'gap') break;
        if (verdict === 'lost') yield { type: 'reset' };
        if (verdict !== 'known') yield event;
      }
    } catch (error) {
      signal?.throwIfAborted();
      if (!transport.mayPass(error)) throw error;
    } finally {
      stop.abort();
    }
    await pause(waitMs, signal);
  }
}

/** The beginning of a stream, with its place in the chain. */
interface Begun {
  readonly type: 'ready' | 'reset';
  readonly sequence: number | undefined;
}

/** The place of a reader in the chain. */
class Place {
  #askedAgainAt: number | undefined;

  constructor(public last: number | undefined) {}

  /** Takes the place where a stream begins: a new reader's, or one that missed more than is sent again. */
  begin({ type, sequence }: Begun): void {
    if (type === 'reset' || this.last === undefined) this.last = sequence;
  }

  /** Takes a sequence: the next one, one that is known, or one after a gap, which is asked for again once. */
  take(sequence: number): 'next' | 'known' | 'gap' | 'lost' {
    const { last } = this;
    if (last !== undefined && sequence <= last) return 'known';
    const isGap = last !== undefined && sequence > last + 1;
    if (isGap && this.#askedAgainAt !== last) {
      this.#askedAgainAt = last;
      return 'gap';
    }
    this.last = sequence;
    return isGap ? 'lost' : 'next';
  }
}

async function* connection(
  transport: Transport,
  last: number | undefined,
  signal: AbortSignal,
): AsyncGenerator<Change | Begun, void, undefined> {
  const headers: Record<string, string> = last === undefined ? {} : { 'last-event-id': String(last) };
  const response = await transport.open('/wallets/me/events', headers, signal);
  for await (const { event, id, data } of messages(response)) {
    if (event === 'ready' || event === 'reset') yield { type: event, sequence: id ? Number(id) : undefined };
    else if (event === 'change') {
      const { type: eventType, ...change } = JSON.parse(data) as Omit<Change, 'type' | 'eventType'> & { type: string };
      yield { ...change, type: 'change', eventType };
    }
  }
}

interface Message {
  readonly event: string;
  readonly id: string | undefined;
  readonly data: string;
}

/** Reads Server-Sent Events: a line is a field, an empty line ends a message, and a colon begins a comment. */
async function* messages(response: Response): AsyncGenerator<Message> {
  const reader = response.body?.pipeThrough(new TextDecoderStream()).getReader();
  if (!reader) return;
  let rest = '';
  let fields: Record<string, string> = {};
  for (;;) {
    const { done, value } = await reader.read().catch((cause: unknown) => {
      throw new NoAnswerError('The stream broke off', { cause });
    });
    if (done) return;
    const lines = (rest + value).split(/\r\n|\n|\r(?!$)/);
    rest = lines.pop() ?? '';
    for (const line of lines) {
      if (line === '') {
        const { event = 'message', id, data } = fields;
        if (data !== undefined) yield { event, id, data };
        fields = {};
      } else {
        const [, name = '', text = ''] = /^([^:]*):? ?(.*)$/.exec(line) ?? [];
        fields[name] = name === 'data' && fields[name] !== undefined ? `${fields[name]}\n${text}` : text;
      }
    }
  }
}
