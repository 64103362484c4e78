import type { Evidence } from './vault.js';

/** A boot of a signer, as it is remembered. */
export interface RecordedBoot {
  /** 32 bytes. */
  readonly ephemeralKey: Uint8Array;
  readonly driver: string;
  /** Statement whose hash the evidence is bound to. */
  readonly statement: Uint8Array;
  readonly evidence: Evidence;
  readonly buildDigest: Uint8Array;
  /** Unix milliseconds. */
  readonly startedAtMs: number;
}

/** Store of boots. */
export interface BootStore {
  /** Keeps a boot for good. @throws AppError SERVICE_UNAVAILABLE */
  add(boot: RecordedBoot): Promise<void>;
  /** Returns the boot with this key; undefined when it is unknown here. @throws AppError SERVICE_UNAVAILABLE */
  find(ephemeralKey: Uint8Array): Promise<RecordedBoot | undefined>;
}
