import { createCipheriv, createDecipheriv, randomBytes } from 'node:crypto';

/** Bytes of a wrapping key. */
export const WRAPPING_KEY_BYTES = 32;

const CIPHER = 'aes-256-gcm';
const NONCE_BYTES = 12;
const TAG_BYTES = 16;

/**
 * Seals a secret by AES-256-GCM under a key that lives elsewhere: nonce ‖ tag ‖ ciphertext.
 * @param label which use this is; what is sealed for one opens for no other
 */
export function wrap(key: Uint8Array, secret: Uint8Array, label: string): Buffer {
  const nonce = randomBytes(NONCE_BYTES);
  const cipher = createCipheriv(CIPHER, key, nonce, { authTagLength: TAG_BYTES });
  cipher.setAAD(Buffer.from(label));
  const ciphertext = Buffer.concat([cipher.update(secret), cipher.final()]);
  return Buffer.concat([nonce, cipher.getAuthTag(), ciphertext]);
}

/** Opens what `wrap` gave; the caller wipes the result. @throws Error when key, label or a byte is another */
export function unwrap(key: Uint8Array, sealed: Uint8Array, label: string): Buffer {
  const bytes = Buffer.from(sealed);
  const decipher = createDecipheriv(CIPHER, key, bytes.subarray(0, NONCE_BYTES), { authTagLength: TAG_BYTES });
  decipher.setAAD(Buffer.from(label));
  decipher.setAuthTag(bytes.subarray(NONCE_BYTES, NONCE_BYTES + TAG_BYTES));
  const secret = decipher.update(bytes.subarray(NONCE_BYTES + TAG_BYTES));
  try {
    decipher.final();
    return secret;
  } catch (error) {
    secret.fill(0);
    throw error;
  }
}
