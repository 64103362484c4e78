import type { JsonWebKey, KeyObject } from 'node:crypto';

/** How our tokens name their issuer and their audience. */
export interface TokenNames {
  readonly issuer: string;
  readonly audience: string;
}

/** The keys that tokens are verified with. */
export interface TokenKeys {
  /** The public key of an id; undefined when there is none. */
  publicKey(kid: string): Promise<KeyObject | undefined>;
  /** All of them, as JSON Web Keys. */
  publicKeys(): ReadonlyArray<JsonWebKey & { readonly kid: string }>;
}
