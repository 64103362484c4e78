import { verify } from 'node:crypto';
import { ed25519Key } from './ed25519.js';

const HEAD = Buffer.from('agentwallet/countersignature/v1\n');
const KEY_BYTES = 32;
const HASH_BYTES = 32;
const SIGNATURE_BYTES = 64;

/** Facts that a boot of the signer countersigns. */
export interface Countersigned {
  /** The permit (UUID). */
  readonly permitId: string;
  /** SHA-256 of the message. */
  readonly messageHash: Uint8Array;
  /** Every signature given for it, 64 bytes each: of the wallet or the treasury, then of the sponsor if there is one. */
  readonly signatures: readonly Uint8Array[];
}

/** Countersignature of the boot that gave signatures. */
export interface Countersignature {
  /** The boot's Ed25519 public key, 32 bytes. */
  readonly ephemeralKey: Uint8Array;
  /** Its signature over {@link countersignatureBytes}. */
  readonly signature: Uint8Array;
}

/**
 * Returns the bytes under a countersignature: a line that names their purpose, the 16 bytes of the permit's ID, the
 * message's hash, and every signature. No Solana message begins with such a line.
 * @throws TypeError when a part has another length
 */
export function countersignatureBytes({ permitId, messageHash, signatures }: Countersigned): Buffer {
  const id = Buffer.from(permitId.replaceAll('-', ''), 'hex');
  const isWhole = id.length === 16 && messageHash.length === HASH_BYTES && signatures.length > 0;
  if (!isWhole || signatures.some(({ length }) => length !== SIGNATURE_BYTES)) {
    throw new TypeError('what is countersigned is not whole');
  }
  return Buffer.concat([HEAD, id, messageHash, ...signatures]);
}

/** Reports whether the boot gave these signatures for this message under this permit. */
export function isCountersigned(countersigned: Countersigned, given: Countersignature): boolean {
  if (given.ephemeralKey.length !== KEY_BYTES || given.signature.length !== SIGNATURE_BYTES) return false;
  try {
    return verify(null, countersignatureBytes(countersigned), ed25519Key(given.ephemeralKey), given.signature);
  } catch {
    return false; // no key at all, or nothing that could be countersigned
  }
}
