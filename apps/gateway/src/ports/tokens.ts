import type { JsonWebKey, KeyObject } from 'node:crypto';

/** How our tokens name their issuer and their audience. */
export interface TokenNames {
  readonly issuer: string;
  readonly audience: string;
}

/** The keys that tokens are verified with. A class, so that it is its own injection token. */
export abstract class TokenKeys {
  /** The public key of an id; undefined when there is none. */
  abstract publicKey(kid: string): Promise<KeyObject | undefined>;
  /** All of them, as JSON Web Keys. */
  abstract publicKeys(): ReadonlyArray<JsonWebKey & { readonly kid: string }>;
}

/** Makes bearer tokens. */
export interface TokenSigner {
  /** A signed token of a session; times are Unix milliseconds. */
  sign(session: { id: string; agentId: string; issuedAtMs: number; expiresAtMs: number }): Promise<string>;
}
