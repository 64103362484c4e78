import { type Clock, newId, TOKEN_SCOPES, type TokenScope } from '@agent-wallet/kernel';
import {
  CHALLENGE,
  type Connection,
  DECIDE_WITHIN_MS,
  isRegistered,
  knownScopes,
  redirection,
} from '../../domain/connection.js';
import { OAuthError } from '../../domain/oauth-error.js';
import { type ClientDocuments, ClientRefused, type OAuthClient } from '../../ports/client-documents.js';
import type { ConnectionStore } from '../../ports/connection-store.js';

/** Parameters of an authorization request (RFC 6749, 4.1.1; RFC 7636; RFC 8707). */
interface AuthorizationParameters {
  readonly response_type?: string | undefined;
  readonly client_id?: string | undefined;
  readonly redirect_uri?: string | undefined;
  readonly scope?: string | undefined;
  readonly state?: string | undefined;
  readonly code_challenge?: string | undefined;
  readonly code_challenge_method?: string | undefined;
  readonly resource?: string | undefined;
}

/** Addresses of the deployment. */
export interface OAuthAddresses {
  /** The authorization server's own address. */
  readonly issuer: string;
  /** Address of the MCP endpoint: the only resource that tokens are for. */
  readonly resource: string;
  /** Base of the addresses that browsers call, at the host that the console calls: cookies belong to a host. */
  readonly browserBase: string;
  /** Origin of the console. */
  readonly consoleOrigin: string;
}

/** The next step of a browser that began a connection. */
interface Begun {
  readonly location: string;
  /** The connection that an owner can decide; undefined for an error. */
  readonly connectionId?: string;
}

/** Dependencies of RequestConnection. */
interface RequestConnectionDependencies {
  readonly clients: ClientDocuments;
  readonly connections: Pick<ConnectionStore, 'open'>;
  readonly clock: Clock;
}

/** Hosts keep their own session in it. Fully escaped, ASCII of this length fits into a request's headers twice. */
const MAX_STATE_LENGTH = 2_000;

/** Takes an app's request for access to the console, where an owner decides. */
export class RequestConnection {
  constructor(private readonly dependencies: RequestConnectionDependencies) {}

  /**
   * Returns the address to send the browser to: the console's page; or, of a registered app, back to it with an error.
   * @param network network of the browser
   * @throws OAuthError for a client or redirect URI that cannot be trusted: the browser must stay
   */
  async begin(given: AuthorizationParameters, network: string, addresses: OAuthAddresses): Promise<Begun> {
    const client = await this.#clientOf(given.client_id, network);
    const redirectUri = redirectUriOf(client, given.redirect_uri);
    const { state } = given;
    try {
      const connection: Connection = {
        id: newId(),
        client: { id: client.id, name: client.name, uri: client.uri },
        redirectUri,
        state,
        ...readRequest(given, addresses.resource),
        expiresAtMs: this.dependencies.clock.nowMs() + DECIDE_WITHIN_MS,
      };
      await this.dependencies.connections.open(connection);
      return { location: `${addresses.consoleOrigin}/connect/${connection.id}`, connectionId: connection.id };
    } catch (error) {
      // A stranger's client must not make this address send browsers anywhere, before an owner has looked.
      if (!(error instanceof OAuthError) || !client.isRegistered) throw error;
      const parameters = { error: error.code, error_description: error.message, iss: addresses.issuer };
      const isTooLong = (state?.length ?? 0) > MAX_STATE_LENGTH;
      return { location: redirection({ redirectUri, state: isTooLong ? undefined : state }, parameters) };
    }
  }

  async #clientOf(clientId: string | undefined, network: string): Promise<OAuthClient> {
    if (clientId === undefined) throw new OAuthError('invalid_request', 'client_id is required.');
    try {
      return await this.dependencies.clients.read(clientId, network);
    } catch (error) {
      if (error instanceof ClientRefused) throw new OAuthError('invalid_client', error.message);
      throw error;
    }
  }
}

function redirectUriOf({ redirectUris }: OAuthClient, given: string | undefined): string {
  if (given === undefined) throw new OAuthError('invalid_request', 'redirect_uri is required.');
  if (isRegistered(given, redirectUris)) return given;
  throw new OAuthError('invalid_request', 'redirect_uri is not one of the redirect_uris of the client’s document.');
}

/** Reads what is left of a request once it is known where to send its errors. @throws OAuthError */
function readRequest(given: AuthorizationParameters, resource: string): Pick<Connection, 'scopes' | 'codeChallenge'> {
  if (given.response_type !== 'code') {
    throw new OAuthError('unsupported_response_type', 'response_type must be code.');
  }
  if (given.code_challenge_method !== 'S256' || !CHALLENGE.test(given.code_challenge ?? '')) {
    throw new OAuthError('invalid_request', 'A code_challenge with the code_challenge_method S256 is required.');
  }
  if ((given.state?.length ?? 0) > MAX_STATE_LENGTH) {
    throw new OAuthError('invalid_request', `state must have at most ${MAX_STATE_LENGTH} characters.`);
  }
  assertResource(given.resource, resource);
  return { scopes: readScopes(given.scope), codeChallenge: given.code_challenge! };
}

/**
 * Returns the known scopes that an app names, or all when it names none of them. Hosts add scopes of other servers, such as
 * `openid` or `offline_access`. The server may ignore these (RFC 6749, 3.3): consent and the token's `scope` name the rest.
 */
function readScopes(text: string | undefined): readonly TokenScope[] {
  const known = knownScopes(text);
  return known.length > 0 ? known : TOKEN_SCOPES;
}

/**
 * Refuses a token for another resource (RFC 8707). Apps in use append a slash, or name none: there is one resource.
 * @throws OAuthError
 */
export function assertResource(given: string | undefined, resource: string): void {
  if (given === undefined || given === resource || given === `${resource}/`) return;
  throw new OAuthError('invalid_target', `resource must be ${resource}.`);
}
