/** Bytes that are no Solana message, or not the only way to write it. */
export class MalformedMessage extends Error {
  constructor(message: string) {
    super(message);
    this.name = 'MalformedMessage';
  }
}

/** Reads a message from its first byte to its last. Every read past the end is refused. */
export class MessageReader {
  #at = 0;

  constructor(private readonly bytes: Uint8Array) {}

  /** The next byte, without taking it. */
  peek(): number {
    const byte = this.bytes[this.#at];
    if (byte === undefined) throw new MalformedMessage('the message ends too early');
    return byte;
  }

  byte(): number {
    const byte = this.peek();
    this.#at += 1;
    return byte;
  }

  /** A view of the next bytes; not a copy. */
  take(count: number): Uint8Array {
    const end = this.#at + count;
    if (end > this.bytes.length) throw new MalformedMessage('the message ends too early');
    const taken = this.bytes.subarray(this.#at, end);
    this.#at = end;
    return taken;
  }

  /**
   * Solana's compact-u16: seven bits a byte, least significant first, at most three bytes, 16 bits in all. Longer
   * forms of the same number are refused, as the chain's own parser does.
   */
  compactU16(): number {
    let value = 0;
    for (let i = 0; i < 3; i += 1) {
      const byte = this.byte();
      value |= (byte & 0x7f) << (7 * i);
      if (byte < 0x80) {
        if (byte === 0 && i > 0) throw new MalformedMessage('a length is not written in its shortest form');
        if (value > 0xffff) throw new MalformedMessage('a length is larger than 16 bits');
        return value;
      }
    }
    throw new MalformedMessage('a length is longer than three bytes');
  }

  /** To be called last. */
  end(): void {
    if (this.#at !== this.bytes.length) throw new MalformedMessage('bytes are left after the message');
  }
}

/** The bytes of a number as {@link MessageReader.compactU16} reads it. */
export function compactU16(value: number): number[] {
  const bytes: number[] = [];
  let rest = value;
  while (rest > 0x7f) {
    bytes.push((rest & 0x7f) | 0x80);
    rest >>= 7;
  }
  return [...bytes, rest];
}
