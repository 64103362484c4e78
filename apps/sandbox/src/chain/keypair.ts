import { createHash, createPrivateKey, createPublicKey, type KeyObject, sign } from 'node:crypto';
import { type Key, keyAt } from '../encoding/keys.js';

/** PKCS#8 prefix of an Ed25519 seed. */
const PKCS8 = Buffer.from('302e020100300506032b657004220420', 'hex');

/** A key of the sandbox's own people: the faucet, mint authorities, market makers. */
export interface Keypair {
  readonly key: Key;
  /** Signs with Ed25519. */
  sign(message: Uint8Array): Buffer;
}

/** The same key pair for the same world and name, so that nothing secret has to be kept. */
export function deriveKeypair(seed: Buffer, name: string): Keypair {
  const secret = createHash('sha256').update(seed).update(name).digest();
  const privateKey: KeyObject = createPrivateKey({ key: Buffer.concat([PKCS8, secret]), format: 'der', type: 'pkcs8' });
  const der = createPublicKey(privateKey).export({ format: 'der', type: 'spki' });
  return { key: keyAt(der, der.length - 32), sign: (message) => sign(null, message, privateKey) };
}
