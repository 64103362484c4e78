import { decodeBase58, encodeBase58 } from './base58.js';

/** Bytes of an address: an Ed25519 public key or a program-derived hash. */
export const ADDRESS_BYTES = 32;

/** Reports whether a text is the base58 form of 32 bytes. Does not check the account there. */
export function isAddress(putative: string): boolean {
  return decodeBase58(putative, ADDRESS_BYTES) !== undefined;
}

/** Returns the 32 bytes of an address. @throws TypeError when the text is none */
export function addressBytes(address: string): Uint8Array {
  const bytes = decodeBase58(address, ADDRESS_BYTES);
  if (!bytes) throw new TypeError('not an address');
  return bytes;
}

/** Returns the base58 form of 32 bytes. @throws TypeError for another length */
export function addressOf(bytes: Uint8Array): string {
  if (bytes.length !== ADDRESS_BYTES) throw new TypeError(`an address has 32 bytes, not ${bytes.length}`);
  return encodeBase58(bytes);
}
