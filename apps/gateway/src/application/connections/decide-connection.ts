import { AppError, type Clock, newId, notFound, isTokenScope } from '@agent-wallet/kernel';
import { type Connection, redirection } from '../../domain/connection.js';
import { wholeSeconds } from '../../domain/session.js';
import type { ConnectionStore } from '../../ports/connection-store.js';
import { required } from '../../ports/services.js';
import type { SessionStore } from '../../ports/session-store.js';
import type { TokenKey, TokensService } from '../../ports/tokens-service.js';
import type { ManageTokens } from '../tokens/manage-tokens.js';
import { hashSecret, newSecret } from '../../domain/secrets.js';

/** Dependencies of DecideConnection. */
interface DecideConnectionDependencies {
  readonly connections: Pick<ConnectionStore, 'pending' | 'decide'>;
  readonly sessions: Pick<SessionStore, 'openToken'>;
  readonly tokens: Pick<TokensService, 'list'>;
  readonly manageTokens: Pick<ManageTokens, 'end'>;
  readonly clock: Clock;
  /** Returns the address of the authorization server; undefined before it listens. */
  readonly issuer: () => string | undefined;
}

/** An owner's decision on the request of an app. Each returns the address that the browser goes to. */
export class DecideConnection {
  constructor(private readonly dependencies: DecideConnectionDependencies) {}

  /**
   * @param begun ids of the connections that the caller's browser began: a link to the request of another person is worth nothing
   * @throws AppError NOT_FOUND for one that was decided or is over, or that another browser began
   */
  async find(id: string, begun: readonly string[]): Promise<Connection> {
    if (!begun.includes(id)) return unknown();
    return (await this.dependencies.connections.pending(id)) ?? unknown();
  }

  /**
   * Gives the app a token that the owner has signed. No secret of it goes to the console: the app redeems the code.
   * @throws AppError NOT_FOUND for a connection that was decided or is over, and for a token that is not live
   */
  async grant(id: string, { agentId, tokenId }: TokenKey): Promise<string> {
    const { connections, sessions, tokens, clock } = this.dependencies;
    const token = (await tokens.list(agentId)).find((each) => each.tokenId === tokenId);
    if (!token) throw notFound('token', 'List the tokens again.');
    const { scopes, expiresAtMs } = required(token.grant, 'grant');
    const nowMs = wholeSeconds(clock.nowMs());
    const session = {
      ...{ id: newId(), familyId: newId(), agentId, createdAtMs: nowMs, authenticatedAtMs: nowMs },
      expiresAtMs: wholeSeconds(Number(expiresAtMs)),
      token: { id: tokenId, scopes: scopes.filter(isTokenScope) },
    };
    await sessions.openToken(session);
    const code = newSecret();
    const connection = await connections.decide(id, { session, codeHash: hashSecret(code) });
    if (!connection) {
      // Another decision was first, or the time is over: no app gets this token.
      await this.dependencies.manageTokens.end({ agentId, tokenId });
      return unknown();
    }
    return redirection(connection, { code, iss: this.#issuer() });
  }

  /** @throws AppError NOT_FOUND as `find` */
  async reject(id: string, begun: readonly string[]): Promise<string> {
    if (!begun.includes(id)) return unknown();
    const connection = (await this.dependencies.connections.decide(id)) ?? unknown();
    return redirection(connection, {
      error: 'access_denied',
      error_description: 'The owner rejected it.',
      iss: this.#issuer(),
    });
  }

  #issuer(): string {
    const issuer = this.dependencies.issuer();
    if (issuer === undefined) throw new AppError('SERVICE_UNAVAILABLE');
    return issuer;
  }
}

function unknown(): never {
  throw notFound(
    'connection',
    'Start again in the app. A request can be decided once, within ten minutes, in the browser that began it.',
  );
}
