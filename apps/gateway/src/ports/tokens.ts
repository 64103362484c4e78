import type { JsonWebKey, KeyObject } from 'node:crypto';

/** Issuer and audience of our tokens. */
export interface TokenNames {
  readonly issuer: string;
  readonly audience: string;
}

/** The keys that tokens are verified with. A class, so that it is its own injection token. */
export abstract class TokenKeys {
  /** Returns the public key of an ID; undefined when there is none. */
  abstract publicKey(kid: string): Promise<KeyObject | undefined>;
  /** Returns all public keys, as JSON Web Keys. */
  abstract publicKeys(): ReadonlyArray<JsonWebKey & { readonly kid: string }>;
}

/** Makes bearer tokens. */
export interface TokenSigner {
  /** Signs a token of a session; times are Unix milliseconds. */
  sign(session: { id: string; agentId: string; issuedAtMs: number; expiresAtMs: number }): Promise<string>;
}
