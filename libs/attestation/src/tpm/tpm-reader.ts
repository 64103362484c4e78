import { AttestationRefused } from '../attestation-refused.js';

/** Reads a TPM's structures (TPM 2.0 Library, part 2): big-endian, within bounds, to the last byte. */
export class TpmReader {
  #at = 0;

  constructor(
    private readonly name: string,
    private readonly bytes: Buffer,
  ) {}

  u8(): number {
    return this.take(1).readUInt8();
  }

  u16(): number {
    return this.take(2).readUInt16BE();
  }

  u32(): number {
    return this.take(4).readUInt32BE();
  }

  /** Reads a TPM2B: bytes behind their length. */
  sized(): Buffer {
    return this.take(this.u16());
  }

  /** @throws AttestationRefused malformed when there are fewer */
  take(count: number): Buffer {
    if (this.#at + count > this.bytes.length) throw new AttestationRefused('malformed', `${this.name} is too short`);
    this.#at += count;
    return this.bytes.subarray(this.#at - count, this.#at);
  }

  /** @throws AttestationRefused malformed when something is left */
  end(): void {
    if (this.#at !== this.bytes.length) throw new AttestationRefused('malformed', `${this.name} is too long`);
  }
}
