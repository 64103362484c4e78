import { createHmac, timingSafeEqual } from 'node:crypto';
import { canonicalJson } from './document.js';

const LOGIN_TYPE = 'agent-wallet.login.v1';
/** Far more than a document has. */
const MAX_BYTES = 4_096;
const NONCE = /^[\w-]{43}$/;

/** Content of a login's document. */
export interface Login {
  readonly origin: string;
  readonly expiresAtMs: number;
  /** 32 random bytes, base64url. */
  readonly nonce: string;
}

/**
 * Creates the document of a login. A login never signs bare random bytes: a gateway could pass off an approval's hash
 * as its challenge. The `mac` proves later that policy made the document, so policy stores no open login.
 */
export function loginDocument({ origin, expiresAtMs, nonce }: Login, key: Buffer): Buffer {
  const fields = { type: LOGIN_TYPE, origin, expiresAt: new Date(expiresAtMs).toISOString(), nonce };
  const mac = createHmac('sha256', key).update(canonicalJson(fields)).digest('base64url');
  return canonicalJson({ ...fields, mac });
}

/**
 * Returns when a login's document expires, in Unix milliseconds. Undefined unless policy made it with this key, for
 * this origin.
 */
export function loginExpiry(document: Buffer, origin: string, key: Buffer): number | undefined {
  const { expiresAt, nonce } = fieldsOf(document);
  const expiresAtMs = typeof expiresAt === 'string' ? Date.parse(expiresAt) : NaN;
  if (Number.isNaN(expiresAtMs) || typeof nonce !== 'string' || !NONCE.test(nonce)) return undefined;
  const made = loginDocument({ origin, expiresAtMs, nonce }, key);
  return made.length === document.length && timingSafeEqual(made, document) ? expiresAtMs : undefined;
}

function fieldsOf(document: Buffer): { readonly expiresAt?: unknown; readonly nonce?: unknown } {
  if (document.length > MAX_BYTES) return {};
  try {
    return Object(JSON.parse(Buffer.from(document).toString())) as object;
  } catch {
    return {};
  }
}
