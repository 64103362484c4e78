import { eventually } from '@agent-wallet/testing';
import { type IncomingMessage, request } from 'node:http';

/** An event as a browser reads it. */
export interface ReadEvent {
  readonly id: string;
  readonly event: string;
  readonly data: ReturnType<typeof JSON.parse>;
}

/** A client of Server-Sent Events. */
export class EventReader {
  text = '';
  /** Undefined until the stream has ended: whether in good order. */
  ended: 'well' | 'cut' | undefined;

  private constructor(private readonly answer: IncomingMessage) {
    answer.setEncoding('utf8');
    answer.on('data', (text: string) => (this.text += text));
    answer.once('end', () => (this.ended = 'well'));
    answer.once('error', () => (this.ended ??= 'cut'));
  }

  /** Opens a stream; resolves with its headers. */
  static open(url: string, headers: Readonly<Record<string, string>>): Promise<EventReader> {
    return new Promise((resolve, reject) => {
      const outgoing = request(url, { headers, agent: false }, (answer) => resolve(new EventReader(answer)));
      outgoing.once('error', reject).end();
    });
  }

  get status(): number {
    return this.answer.statusCode!;
  }

  get headers(): IncomingMessage['headers'] {
    return this.answer.headers;
  }

  /** Events so far. */
  get events(): ReadEvent[] {
    const blocks = this.text.split('\n\n').slice(0, -1);
    return blocks.filter((block) => !block.startsWith(':')).map(parse);
  }

  /** Waits for so many events. */
  until(count: number): Promise<ReadEvent[]> {
    return eventually(
      async () => this.events,
      (events) => events.length >= count,
    );
  }

  /** Waits until the stream has ended. */
  untilEnd(): Promise<unknown> {
    return eventually(async () => this.ended, Boolean);
  }

  /** Reads no more, with the connection open. */
  pause(): void {
    this.answer.pause();
  }

  close(): void {
    this.answer.destroy();
  }
}

function parse(block: string): ReadEvent {
  const fields = Object.fromEntries(
    block.split('\n').map((line) => [line.slice(0, line.indexOf(':')), line.slice(line.indexOf(':') + 2)]),
  ) as Record<'id' | 'event' | 'data', string>;
  return { id: fields.id, event: fields.event, data: JSON.parse(fields.data) };
}
