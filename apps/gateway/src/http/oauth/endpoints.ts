import { AppError } from '@agent-wallet/kernel';
import type { IssueAccess } from '../../application/connections/issue-access.js';
import type { OAuthAddresses, RequestConnection } from '../../application/connections/request-connection.js';
import { clientNetwork } from '../../domain/client-network.js';
import { OAuthError } from '../../domain/oauth-error.js';
import type { Admission } from '../admission.js';
import { ConnectionCookie } from '../owners/connection-cookie.js';
import type { FastifyInstance, FastifyReply, FastifyRequest } from '../fastify-types.js';
import {
  OAUTH_PATHS,
  openIdMetadata,
  RESOURCE_METADATA_PATHS,
  resourceMetadata,
  serverMetadata,
  serverMetadataPaths,
  SLASHED_METADATA_PATH,
} from './metadata.js';
import { readForm, readQuery } from './parameters.js';

/** Parts of the authorization server. */
interface OAuthEndpoints {
  readonly admission: Pick<Admission, 'admitClient'>;
  readonly requestConnection: RequestConnection;
  readonly issueAccess: IssueAccess;
  /** Returns the addresses of the deployment; undefined before it listens. */
  readonly addresses: () => OAuthAddresses | undefined;
}

const METADATA_SECONDS = 3_600;

type Serve = (addresses: OAuthAddresses, request: FastifyRequest, reply: FastifyReply) => Promise<FastifyReply>;

/** Serves the authorization server of MCP hosts. Every request counts against the limits of its network. */
export function serveOAuth(fastify: FastifyInstance, parts: OAuthEndpoints): void {
  const { admission, requestConnection, issueAccess } = parts;
  const route = (method: 'GET' | 'POST', url: string, serve: Serve) =>
    fastify.route({
      method,
      url,
      onRequest: (request, reply) => admission.admitClient(request, reply),
      handler: async (request: FastifyRequest, reply: FastifyReply) => {
        const addresses = parts.addresses();
        if (!addresses) throw new AppError('SERVICE_UNAVAILABLE');
        return serve(addresses, request, reply).catch((error: unknown) => refuse(reply, error));
      },
    });
  const metadata = (url: string, of: (addresses: OAuthAddresses) => object) =>
    route('GET', url, async (addresses, _request, reply) =>
      send(reply.header('cache-control', `public, max-age=${METADATA_SECONDS}`), 200, of(addresses)),
    );
  for (const path of RESOURCE_METADATA_PATHS) metadata(path, resourceMetadata);
  metadata(SLASHED_METADATA_PATH, (given) => resourceMetadata({ ...given, resource: `${given.resource}/` }));
  for (const path of serverMetadataPaths('oauth-authorization-server')) metadata(path, serverMetadata);
  for (const path of serverMetadataPaths('openid-configuration')) metadata(path, openIdMetadata);

  route('GET', OAUTH_PATHS.authorize, async (addresses, request, reply) => {
    const { location, connectionId } = await requestConnection.begin(
      readQuery(request),
      clientNetwork(request.ip),
      addresses,
    );
    if (connectionId !== undefined) new ConnectionCookie(addresses.consoleOrigin).set(reply, connectionId);
    return reply.code(302).headers({ location, 'cache-control': 'no-store' }).send();
  });
  route('POST', OAUTH_PATHS.token, async ({ resource }, request, reply) => {
    const issued = await issueAccess.issue(readForm(request), resource);
    return send(reply, 200, {
      access_token: issued.accessToken,
      token_type: 'Bearer',
      expires_in: issued.expiresInSeconds,
      refresh_token: issued.refreshToken,
      scope: issued.scope,
    });
  });
  route('POST', OAUTH_PATHS.revoke, async (_addresses, request, reply) => {
    const { token, client_id: clientId } = readForm(request);
    if (token === undefined || clientId === undefined) {
      throw new OAuthError('invalid_request', 'token and client_id are required.');
    }
    await issueAccess.revoke({ token, client_id: clientId });
    return send(reply, 200, {});
  });
}

/** Sends JSON that only metadata lets caches keep. */
function send(reply: FastifyReply, status: number, body: object): FastifyReply {
  if (!reply.hasHeader('cache-control')) reply.header('cache-control', 'no-store');
  return reply.code(status).header('content-type', 'application/json').send(JSON.stringify(body));
}

/** Answers an error of OAuth in its form (RFC 6749, 5.2); every other leaves as all do. */
function refuse(reply: FastifyReply, error: unknown): FastifyReply {
  if (!(error instanceof OAuthError)) throw error;
  reply.header('cache-control', 'no-store');
  return send(reply, error.code === 'invalid_client' ? 401 : 400, {
    error: error.code,
    error_description: error.message,
  });
}
