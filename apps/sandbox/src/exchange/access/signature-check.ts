import type { Clock } from '@agent-wallet/kernel';
import { constants, type KeyObject, createPublicKey, verify } from 'node:crypto';
import type { RequestHead } from '../../http/json-server.js';

/** How far a caller's clock may be off. */
const SKEW_MS = 30_000;
const DIGEST_BYTES = 32;

/** The one key that may use the account. */
export interface ApiKey {
  readonly id: string;
  /** The public half of an RSA key, PEM. */
  readonly publicKeyPem: string;
}

/** Who asks: the account's owner, a caller without a signature, or one whose signature is wrong. */
export type Caller =
  | { readonly kind: 'owner' }
  | { readonly kind: 'anonymous' }
  | { readonly kind: 'refused'; why: string };

/** Checks the headers by which a caller says who it is: RSA-PSS over time, method and path (kalshi.md, section 2). */
export class SignatureCheck {
  private readonly publicKey: KeyObject | undefined;

  /** @throws Error when the key is not an RSA public key */
  constructor(
    private readonly key: ApiKey | undefined,
    private readonly clock: Clock,
  ) {
    this.publicKey = key && createPublicKey(key.publicKeyPem);
    if (this.publicKey && this.publicKey.asymmetricKeyType !== 'rsa') throw new Error('the key must be an RSA key');
  }

  callerOf({ method, path, headers }: Omit<RequestHead, 'query'>): Caller {
    const id = headers['kalshi-access-key'];
    const timestamp = headers['kalshi-access-timestamp'];
    const signature = headers['kalshi-access-signature'];
    if (id === undefined && timestamp === undefined && signature === undefined) return { kind: 'anonymous' };
    if (typeof id !== 'string' || typeof timestamp !== 'string' || typeof signature !== 'string') {
      return refused('MISSING_PARAMETERS');
    }
    if (!this.key || !this.publicKey || id !== this.key.id) return refused('NOT_FOUND');
    if (!/^\d{13}$/.test(timestamp) || Math.abs(Number(timestamp) - this.clock.nowMs()) > SKEW_MS) {
      return refused('INCORRECT_API_KEY_TIMESTAMP');
    }
    const padding = { padding: constants.RSA_PKCS1_PSS_PADDING, saltLength: DIGEST_BYTES };
    const message = Buffer.from(timestamp + method + path);
    const isGenuine = verify('sha256', message, { key: this.publicKey, ...padding }, Buffer.from(signature, 'base64'));
    return isGenuine ? { kind: 'owner' } : refused('INCORRECT_API_KEY_SIGNATURE');
  }
}

function refused(why: string): Caller {
  return { kind: 'refused', why };
}
