import { generateKeyPairSync, type KeyObject } from 'node:crypto';

/** The Ed25519 key of one life of a signer: made at its start, in its memory only, gone with it. */
export interface BootKey {
  /** 32 bytes. */
  readonly publicKey: Buffer;
  readonly privateKey: KeyObject;
}

/** Makes the key of this life. */
export function makeBootKey(): BootKey {
  const { publicKey, privateKey } = generateKeyPairSync('ed25519');
  return { publicKey: Buffer.from(publicKey.export({ format: 'jwk' }).x!, 'base64url'), privateKey };
}
