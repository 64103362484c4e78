import type { Readable } from 'node:stream';

/** Longest line that is read, in bytes. */
export const LONGEST_LINE_BYTES = 1_048_576;

const NEWLINE = 0x0a;

/** Reads lines of UTF-8; undefined for a line that is too long or not UTF-8. Skips empty lines. */
export async function* linesOf(
  input: Readable,
  longestBytes = LONGEST_LINE_BYTES,
): AsyncGenerator<string | undefined, void, undefined> {
  const line = new Line(longestBytes);
  for await (const chunk of input) {
    const bytes = typeof chunk === 'string' ? Buffer.from(chunk) : (chunk as Buffer);
    let from = 0;
    for (let end = bytes.indexOf(NEWLINE); end !== -1; end = bytes.indexOf(NEWLINE, from)) {
      line.add(bytes.subarray(from, end));
      from = end + 1;
      const text = line.take();
      if (text !== '') yield text;
    }
    line.add(bytes.subarray(from));
  }
  const last = line.take();
  if (last !== '') yield last;
}

/** A line that is being read. Keeps no bytes past the limit. */
class Line {
  #parts: Buffer[] = [];
  #bytes = 0;

  constructor(private readonly longestBytes: number) {}

  add(part: Buffer): void {
    this.#bytes += part.length;
    if (this.#bytes > this.longestBytes) this.#parts = [];
    else if (part.length > 0) this.#parts.push(part);
  }

  /** Returns the line without spaces around it, and begins the next; undefined where it cannot be read. */
  take(): string | undefined {
    const [parts, bytes] = [this.#parts, this.#bytes];
    this.#parts = [];
    this.#bytes = 0;
    if (bytes > this.longestBytes) return undefined;
    try {
      return new TextDecoder('utf-8', { fatal: true }).decode(Buffer.concat(parts)).trim();
    } catch {
      return undefined;
    }
  }
}
