import { createPublicKey, type KeyObject, verify } from 'node:crypto';
import { RecentlyUsed } from '@agent-wallet/kernel';
import { addressBytes } from '../addresses/address.js';
import { isWalletAddress } from '../addresses/wallet-address.js';
import { SIGNATURE_BYTES } from './transaction.js';

/** DER of a SubjectPublicKeyInfo for Ed25519, up to the 32 bytes of the key. */
const SPKI_PREFIX = Buffer.from('302a300506032b6570032100', 'hex');

/** Parsing a key takes about as long as verifying with it. */
const keys = new RecentlyUsed<KeyObject>(2_000);

/**
 * Reports whether `signature` is the Ed25519 signature of the message by the wallet at `address`. Rejects keys of small
 * order, for which anyone could make signatures.
 */
export function verifySignature(message: Uint8Array, signature: Uint8Array, address: string): boolean {
  if (signature.length !== SIGNATURE_BYTES || !isWalletAddress(address)) return false;
  return verify(
    null,
    message,
    keys.useOrMake(address, () => keyOf(address)),
    signature,
  );
}

function keyOf(address: string): KeyObject {
  return createPublicKey({ key: Buffer.concat([SPKI_PREFIX, addressBytes(address)]), format: 'der', type: 'spki' });
}
