import { type LostResult, UnwrittenError } from './exit-codes.js';
import { CONTROLS, plain, View } from './view.js';

/** Streams of the program: results go to `out`, everything else to `err`. */
export interface Streams {
  readonly out: (text: string) => void;
  readonly err: (text: string) => void;
  /** Waits until `out` has taken all that was written. @returns why it has not */
  readonly written: () => Promise<Error | undefined>;
}

/** Writes a result for people. */
export type TextOf = (view: View) => string;

/** Prints results, for people or as JSON. */
export class Output {
  constructor(
    private readonly streams: Streams,
    readonly isJson: boolean,
    private readonly view = new View(),
  ) {}

  /** Prints a result at once, so that it is out before the SDK forgets the request. */
  result(value: unknown, textOf: TextOf): void {
    this.streams.out(`${this.isJson ? toJson(value) : textOf(this.view).split('\n').map(plain).join('\n')}\n`);
  }

  /** Prints a document with line ends of its own, such as CSV, whose writer has replaced what would steer a terminal. */
  document(textOf: TextOf): void {
    this.streams.out(textOf(this.view));
  }

  /** Prints the result of an effect, such as a payment. @throws UnwrittenError */
  async effect(value: unknown, textOf: TextOf, lost: LostResult): Promise<void> {
    this.result(value, textOf);
    const failure = await this.streams.written();
    if (failure) throw new UnwrittenError(failure, lost);
  }

  /** Prints how a command gets on. */
  progress(text: string): void {
    this.streams.err(`${plain(text)}\n`);
  }

  /** Prints a failure: a JSON value, or its lines. */
  failure(value: unknown, lines: readonly string[]): void {
    this.streams.err(`${this.isJson ? toJson(value) : lines.map(plain).join('\n')}\n`);
  }
}

/** Writes JSON on one line; a bigint becomes text, and what would steer a terminal is escaped. */
function toJson(value: unknown): string {
  const text = JSON.stringify(value, (_name, part: unknown) => (typeof part === 'bigint' ? part.toString() : part));
  return text.replace(CONTROLS, (control) => `\\u${control.charCodeAt(0).toString(16).padStart(4, '0')}`);
}
