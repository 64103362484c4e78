import type { Clock } from '@agent-wallet/kernel';
import { ACCESS_TOKEN_MS, type Granted, verifies } from '../../domain/connection.js';
import { OAuthError } from '../../domain/oauth-error.js';
import { wholeSeconds } from '../../domain/session.js';
import type { ConnectionStore, Presented } from '../../ports/connection-store.js';
import type { SessionStore } from '../../ports/session-store.js';
import type { TokenSigner } from '../../ports/tokens.js';
import type { ManageTokens } from '../tokens/manage-tokens.js';
import { assertResource } from './request-connection.js';
import { hashSecret, newSecret } from '../../domain/secrets.js';

/** Parameters of a token request (RFC 6749, 4.1.3 and 6; RFC 7636; RFC 8707). */
interface TokenParameters {
  readonly grant_type?: string | undefined;
  readonly client_id?: string | undefined;
  readonly code?: string | undefined;
  readonly code_verifier?: string | undefined;
  readonly redirect_uri?: string | undefined;
  readonly refresh_token?: string | undefined;
  readonly scope?: string | undefined;
  readonly resource?: string | undefined;
}

/** Tokens of an app. */
interface IssuedAccess {
  readonly accessToken: string;
  readonly refreshToken: string;
  readonly expiresInSeconds: number;
  readonly scope: string;
}

/** Dependencies of IssueAccess. */
interface IssueAccessDependencies {
  readonly connections: Pick<ConnectionStore, 'ofCode' | 'redeem' | 'keepRefresh' | 'rotate' | 'ofRefresh'>;
  readonly sessions: Pick<SessionStore, 'standing'>;
  readonly signer: TokenSigner;
  /** Ends the token whose secret is in other hands. */
  readonly tokens: Pick<ManageTokens, 'end'>;
  readonly clock: Clock;
}

/** Gives apps their access tokens: for a code, and then for refresh tokens, each of which is replaced by its use. */
export class IssueAccess {
  constructor(private readonly dependencies: IssueAccessDependencies) {}

  /** @param resource address that the access token is for @throws OAuthError */
  async issue(given: TokenParameters, resource: string): Promise<IssuedAccess> {
    assertResource(given.resource, resource);
    switch (given.grant_type) {
      case 'authorization_code':
        return this.#redeem(given, resource);
      case 'refresh_token':
        return this.#refresh(given, resource);
      default:
        throw new OAuthError('unsupported_grant_type', 'grant_type must be authorization_code or refresh_token.');
    }
  }

  /** Ends what a refresh token stands for (RFC 7009). An unknown token has ended already. */
  async revoke({ token, client_id: clientId }: { readonly token: string; readonly client_id: string }): Promise<void> {
    if (ACCESS_TOKEN.test(token)) {
      throw new OAuthError('unsupported_token_type', 'Revoke the refresh token: access tokens end with it.');
    }
    const granted = await this.dependencies.connections.ofRefresh({ hash: hashSecret(token), clientId });
    if (granted) await this.#end(granted);
  }

  /**
   * Redeems a code. A failed request leaves the code unused: without its verifier, a code is worth nothing. That is why
   * `redirect_uri` is optional: OAuth 2.1 (4.1.3) dropped it from the token request, because PKCE binds the code to the app.
   * Apps of OAuth 2.0 send it (RFC 6749, 4.1.3). Then it must be the one of the authorization request.
   */
  async #redeem(given: TokenParameters, resource: string): Promise<IssuedAccess> {
    const { connections } = this.dependencies;
    const hash = hashSecret(needed(given, 'code'));
    const presented = await connections.ofCode(hash);
    if (!presented) throw invalidGrant();
    const { granted } = presented;
    const { client_id: clientId, redirect_uri: redirectUri = granted.redirectUri } = given;
    const isForClient = granted.client.id === clientId && granted.redirectUri === redirectUri;
    if (!isForClient || !verifies(given.code_verifier ?? '', granted.codeChallenge)) throw invalidGrant();
    const isReplay = presented.isReplay || !(await connections.redeem(hash));
    await this.#unlessCopied({ granted, isReplay });
    const refreshToken = newSecret();
    await connections.keepRefresh(granted.id, hashSecret(refreshToken));
    return this.#access(granted, refreshToken, resource);
  }

  /** Refreshes an access token. Its scopes stay those that were granted, also when `scope` names others (RFC 6749, 5.1). */
  async #refresh(given: TokenParameters, resource: string): Promise<IssuedAccess> {
    const hash = hashSecret(needed(given, 'refresh_token'));
    const refreshToken = newSecret();
    const token = { hash, clientId: needed(given, 'client_id') };
    const granted = await this.#unlessCopied(
      await this.dependencies.connections.rotate(token, hashSecret(refreshToken)),
    );
    return this.#access(granted, refreshToken, resource);
  }

  /** Returns what was granted. A secret that comes again ends it: it cannot be known who has the copy. */
  async #unlessCopied(presented: Presented | undefined): Promise<Granted> {
    if (!presented) throw invalidGrant();
    if (!presented.isReplay) return presented.granted;
    await this.#end(presented.granted);
    throw invalidGrant();
  }

  /** Ends the scoped token, whose end may have come before. */
  async #end({ agentId, token }: Granted): Promise<void> {
    await this.dependencies.tokens.end({ agentId, tokenId: token.id }).catch((error: unknown) => {
      if ((error as { readonly code?: unknown }).code !== 'NOT_FOUND') throw error;
    });
  }

  async #access(granted: Granted, refreshToken: string, resource: string): Promise<IssuedAccess> {
    const { sessions, signer, clock } = this.dependencies;
    const { agentId, sessionId, token } = granted;
    if (!(await sessions.standing([sessionId])).has(sessionId)) throw invalidGrant();
    const createdAtMs = wholeSeconds(clock.nowMs());
    const expiresAtMs = Math.min(createdAtMs + ACCESS_TOKEN_MS, granted.expiresAtMs);
    const session = {
      id: sessionId,
      agentId,
      createdAtMs,
      authenticatedAtMs: wholeSeconds(granted.grantedAtMs),
      expiresAtMs,
      token,
    };
    return {
      accessToken: await signer.sign(session, { audience: resource, clientId: granted.client.id }),
      refreshToken,
      expiresInSeconds: (expiresAtMs - createdAtMs) / 1_000,
      scope: token.scopes.join(' '),
    };
  }
}

/** The form of a JWT; a refresh token has no dots. */
const ACCESS_TOKEN = /^[\w-]+\.[\w-]+\.[\w-]+$/;

function needed(given: TokenParameters, name: 'code' | 'client_id' | 'refresh_token'): string {
  const value = given[name];
  if (value === undefined) throw new OAuthError('invalid_request', `${name} is required.`);
  return value;
}

function invalidGrant(): OAuthError {
  return new OAuthError('invalid_grant', 'The code or refresh token is not valid any more. Connect again.');
}
