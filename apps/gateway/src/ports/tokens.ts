import type { JsonWebKey, KeyObject } from 'node:crypto';
import type { Session } from '../domain/session.js';

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

/** Parts of a session that its token states. Times are Unix milliseconds, of whole seconds. */
type TokenSession = Pick<Session, 'id' | 'agentId' | 'createdAtMs' | 'authenticatedAtMs' | 'expiresAtMs' | 'token'>;

/** An app that a token is given to, and the resource that it is for. */
interface TokenOfApp {
  readonly audience: string;
  readonly clientId: string;
}

/** Makes bearer tokens. */
export interface TokenSigner {
  /** Signs the token of a session: for the whole API, or for an app and its resource alone. */
  sign(session: TokenSession, of?: TokenOfApp): Promise<string>;
}
