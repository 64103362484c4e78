import { sign } from 'node:crypto';
import { type Countersigned, countersignatureBytes } from '@agent-wallet/attestation';
import type { BootKey } from '../domain/boot-key.js';

/** Which boot gave signatures. */
export interface Countersignature {
  /** The boot's public key, 32 bytes. */
  readonly ephemeralKey: Buffer;
  /** 64 bytes. */
  readonly signature: Buffer;
}

/** Says that this boot gave the signatures: its key signs permit, message and signatures together. */
export function countersign({ publicKey, privateKey }: BootKey, countersigned: Countersigned): Countersignature {
  return { ephemeralKey: publicKey, signature: sign(null, countersignatureBytes(countersigned), privateKey) };
}
