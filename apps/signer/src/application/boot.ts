import type { BootKey } from '../domain/boot-key.js';

/** One life of a signer, from start to end. */
export interface Boot {
  readonly key: BootKey;
  /** SHA-256 of the program, as it read itself at the start. */
  readonly buildDigest: Buffer;
  /** Unix milliseconds. */
  readonly startedAtMs: number;
}
