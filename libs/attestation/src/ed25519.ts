import { createPublicKey, type KeyObject } from 'node:crypto';

/** Converts the 32 bytes of an Ed25519 public key to a key object. @throws when they are not a key */
export function ed25519Key(publicKey: Uint8Array): KeyObject {
  const x = Buffer.from(publicKey).toString('base64url');
  return createPublicKey({ key: { kty: 'OKP', crv: 'Ed25519', x }, format: 'jwk' });
}
