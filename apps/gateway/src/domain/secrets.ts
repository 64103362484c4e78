import { createHash, randomBytes } from 'node:crypto';

const SECRET_BYTES = 32;

/** Returns the token of an owner's session, or a code or refresh token of an app: 256 random bits, base64url. */
export function newSecret(): string {
  return randomBytes(SECRET_BYTES).toString('base64url');
}

/** Returns the form in which a secret is stored: it is too random to be guessed from its hash. */
export function hashSecret(secret: string): Buffer {
  return createHash('sha256').update(secret).digest();
}
