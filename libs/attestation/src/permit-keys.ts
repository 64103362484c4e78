import { createHash } from 'node:crypto';

/** A key whose permits a signer takes. */
export interface PermitKey {
  readonly keyId: string;
  /** Ed25519, 32 bytes. */
  readonly publicKey: Uint8Array;
}

/** Hashes a set of permit keys: SHA-256 over `key id ‖ 0 ‖ public key` of each, sorted by the bytes of the ID. */
export function permitKeysHash(keys: readonly PermitKey[]): Buffer {
  const entries = keys.map(({ keyId, publicKey }) => ({ id: Buffer.from(keyId), publicKey }));
  entries.sort((a, b) => Buffer.compare(a.id, b.id));
  const hash = createHash('sha256');
  for (const { id, publicKey } of entries) hash.update(id).update(Buffer.alloc(1)).update(publicKey);
  return hash.digest();
}
