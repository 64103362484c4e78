import { createHmac, timingSafeEqual } from 'node:crypto';
import { canonicalJson } from './document.js';

const LOGIN_TYPE = 'agent-wallet.login.v1';
/** Far more than a document has. */
const MAX_BYTES = 4_096;
const NONCE = /^[\w-]{43}$/;

/** What a login's document says. */
export interface Login {
  readonly origin: string;
  readonly expiresAtMs: number;
  /** 32 random bytes, base64url. */
  readonly nonce: string;
}

/**
 * The document of a login. A login signs one, too, and never bare random bytes: with those a gateway could pass off the hash
 * of an approval as the challenge of a login. Its `mac` shows policy later that policy made it, so an open one is stored nowhere.
 */
export function loginDocument({ origin, expiresAtMs, nonce }: Login, key: Buffer): Buffer {
  const fields = { type: LOGIN_TYPE, origin, expiresAt: new Date(expiresAtMs).toISOString(), nonce };
  const mac = createHmac('sha256', key).update(canonicalJson(fields)).digest('base64url');
  return canonicalJson({ ...fields, mac });
}

/** When a login's document expires, in Unix milliseconds. Undefined unless policy made it with this key, for this origin. */
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
