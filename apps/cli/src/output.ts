import { type LostResult, UnwrittenError } from './exit-codes.js';

/** Streams of the program: results go to `out`, everything else to `err`. */
export interface Streams {
  readonly out: (text: string) => void;
  readonly err: (text: string) => void;
  /** Waits until `out` has taken all that was written. @returns why it has not */
  readonly written: () => Promise<Error | undefined>;
}

/** Prints results, for people or as JSON. */
export class Output {
  constructor(
    private readonly streams: Streams,
    readonly isJson: boolean,
  ) {}

  /** Prints a result at once, so that it is out before the SDK forgets the request. */
  result(value: unknown, textOf: () => string): void {
    this.streams.out(`${this.isJson ? toJson(value) : textOf().split('\n').map(plain).join('\n')}\n`);
  }

  /** Prints the result of an effect, such as a payment. @throws UnwrittenError */
  async effect(value: unknown, textOf: () => string, lost: LostResult): Promise<void> {
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

/** Controls of a terminal, and of the direction of text. */
const CONTROLS = /[\p{Cc}\p{Bidi_Control}]/gu;

/** Replaces what would steer the terminal: text of others, such as a token's symbol, is only read. */
function plain(text: string): string {
  return text.replace(CONTROLS, '?');
}

/** Writes JSON on one line; a bigint becomes text, and what would steer a terminal is escaped. */
function toJson(value: unknown): string {
  const text = JSON.stringify(value, (_name, part: unknown) => (typeof part === 'bigint' ? part.toString() : part));
  return text.replace(CONTROLS, (control) => `\\u${control.charCodeAt(0).toString(16).padStart(4, '0')}`);
}

export type Cell = string | number | boolean | null | undefined;

/** Draws a table with aligned columns; those whose names begin with `>` are aligned to the right. */
export function table(names: readonly string[], rows: readonly (readonly Cell[])[], empty: string): string {
  if (rows.length === 0) return empty;
  const heads = names.map((name) => name.replace(/^>/, ''));
  const lines = [heads, ...rows.map((row) => row.map(shown))];
  const widths = heads.map((_, n) => Math.max(...lines.map((line) => (line[n] ?? '').length)));
  return lines
    .map((line) =>
      line
        .map((cell, n) => (names[n]!.startsWith('>') ? cell.padStart(widths[n]!) : cell.padEnd(widths[n]!)))
        .join('  ')
        .trimEnd(),
    )
    .join('\n');
}

/** Draws names and values, one pair a line; a value that is missing is left out. */
export function pairs(entries: readonly (readonly [string, Cell])[]): string {
  const given = entries.filter(([, value]) => value !== undefined && value !== null && value !== '');
  const width = Math.max(0, ...given.map(([name]) => name.length));
  return given.map(([name, value]) => `${name.padEnd(width)}  ${shown(value)}`).join('\n');
}

/** Writes base units as decimal text, to the last digit. */
export function exactAmount(raw: string, decimals: number): string {
  const [, sign = '', digits = '0'] = /^(-?)(\d+)$/.exec(raw) ?? [];
  const padded = digits.padStart(decimals + 1, '0');
  const whole = padded.slice(0, padded.length - decimals);
  const part = padded.slice(padded.length - decimals).replace(/0+$/, '');
  return sign + (part ? `${whole}.${part}` : whole);
}

/** Writes an amount of dollars; `-` for one that is not known. */
export function usd(value: number | null | undefined): string {
  return value === null || value === undefined ? '-' : `$${value}`;
}

function shown(cell: Cell): string {
  if (cell === null || cell === undefined || cell === '') return '-';
  return plain(String(cell));
}
