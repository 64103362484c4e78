import { createPublicKey, verify } from 'node:crypto';
import { addressBytes } from '../addresses/address.js';
import { isWalletAddress } from '../addresses/wallet-address.js';
import { SIGNATURE_BYTES } from './transaction.js';

/** DER of a SubjectPublicKeyInfo for Ed25519, up to the 32 bytes of the key. */
const SPKI_PREFIX = Buffer.from('302a300506032b6570032100', 'hex');

/**
 * Whether `signature` is the Ed25519 signature of the message by the wallet at `address`. Keys of small order, for
 * which anyone could make signatures, verify nothing.
 */
export function verifySignature(message: Uint8Array, signature: Uint8Array, address: string): boolean {
  if (signature.length !== SIGNATURE_BYTES || !isWalletAddress(address)) return false;
  const spki = Buffer.concat([SPKI_PREFIX, addressBytes(address)]);
  return verify(null, message, createPublicKey({ key: spki, format: 'der', type: 'spki' }), signature);
}
