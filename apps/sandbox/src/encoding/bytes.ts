/** Reads little-endian fields one after another; runs out with an error that says so. */
export class ByteReader {
  at = 0;

  constructor(readonly bytes: Buffer) {}

  get left(): number {
    return this.bytes.length - this.at;
  }

  u8(): number {
    return this.bytes.readUInt8(this.advance(1));
  }

  u16(): number {
    return this.bytes.readUInt16LE(this.advance(2));
  }

  u32(): number {
    return this.bytes.readUInt32LE(this.advance(4));
  }

  u64(): bigint {
    return this.bytes.readBigUInt64LE(this.advance(8));
  }

  f64(): number {
    return this.bytes.readDoubleLE(this.advance(8));
  }

  /** A view of the next bytes, not a copy. */
  take(length: number): Buffer {
    const from = this.advance(length);
    return this.bytes.subarray(from, from + length);
  }

  /** Solana's compact-u16: seven bits a byte, at most three, refused when not the shortest form. */
  compactU16(): number {
    let value = 0;
    for (let i = 0; i < 3; i++) {
      const byte = this.u8();
      value |= (byte & 127) << (7 * i);
      if ((byte & 128) === 0) {
        if (i > 0 && byte === 0) throw new RangeError('a length is not in its shortest form');
        if (value > 65535) throw new RangeError('a length is larger than 65535');
        return value;
      }
    }
    throw new RangeError('a length takes more than three bytes');
  }

  private advance(length: number): number {
    const from = this.at;
    if (from + length > this.bytes.length) throw new RangeError('the bytes end too early');
    this.at = from + length;
    return from;
  }
}

/** Collects little-endian fields into one buffer. */
export class ByteWriter {
  private readonly parts: Buffer[] = [];

  u8(value: number): this {
    return this.push(Buffer.from([value]));
  }

  u16(value: number): this {
    const part = Buffer.allocUnsafe(2);
    part.writeUInt16LE(value);
    return this.push(part);
  }

  u32(value: number): this {
    const part = Buffer.allocUnsafe(4);
    part.writeUInt32LE(value);
    return this.push(part);
  }

  u64(value: bigint): this {
    const part = Buffer.allocUnsafe(8);
    part.writeBigUInt64LE(value);
    return this.push(part);
  }

  f64(value: number): this {
    const part = Buffer.allocUnsafe(8);
    part.writeDoubleLE(value);
    return this.push(part);
  }

  push(bytes: Buffer): this {
    this.parts.push(bytes);
    return this;
  }

  /** The text with its length (u32) before it. */
  text(value: string): this {
    const bytes = Buffer.from(value);
    return this.u32(bytes.length).push(bytes);
  }

  done(): Buffer {
    return Buffer.concat(this.parts);
  }
}
