import { TOKEN_SCOPES } from '@agent-wallet/kernel';
import type { OAuthAddresses } from '../../application/connections/request-connection.js';

const RESOURCE = '/.well-known/oauth-protected-resource';

/** Paths at which clients look for the metadata of the MCP endpoint (RFC 9728, 3.1). */
export const RESOURCE_METADATA_PATHS = [RESOURCE, `${RESOURCE}/`, `${RESOURCE}/mcp`, `/mcp${RESOURCE}`] as const;

/** Path of the metadata for clients that write the endpoint with a slash at its end. */
export const SLASHED_METADATA_PATH = `${RESOURCE}/mcp/`;

/** Returns the address of the metadata of the MCP endpoint, in the spelling of its path: clients compare `resource` with it. */
export function metadataUrlOf(addresses: OAuthAddresses | undefined, mcpPath: string): string | undefined {
  const path = mcpPath.endsWith('/') ? SLASHED_METADATA_PATH : `${RESOURCE}/mcp`;
  return addresses && addresses.issuer + path;
}

/**
 * Returns the paths at which clients look for the metadata of the authorization server, under the name of a standard: at the
 * issuer, and before or after the path of the endpoint (MCP, "Authorization Server Metadata Discovery").
 */
export function serverMetadataPaths(name: 'oauth-authorization-server' | 'openid-configuration'): readonly string[] {
  const path = `/.well-known/${name}`;
  return [path, `${path}/`, `${path}/mcp`, `${path}/mcp/`, `/mcp${path}`];
}

/** Paths of the authorization server. */
export const OAUTH_PATHS = { authorize: '/oauth/authorize', token: '/oauth/token', revoke: '/oauth/revoke' } as const;

/** Returns the metadata of the MCP endpoint (RFC 9728). */
export function resourceMetadata({ issuer, resource }: OAuthAddresses): object {
  return {
    resource,
    authorization_servers: [issuer],
    scopes_supported: TOKEN_SCOPES,
    bearer_methods_supported: ['header'],
    resource_name: 'Agent Wallet',
    resource_documentation: `${issuer}/docs`,
  };
}

/** Returns the metadata of the authorization server (RFC 8414). */
export function serverMetadata({ issuer, browserBase }: OAuthAddresses): object {
  return {
    issuer,
    authorization_endpoint: browserBase + OAUTH_PATHS.authorize,
    token_endpoint: issuer + OAUTH_PATHS.token,
    revocation_endpoint: issuer + OAUTH_PATHS.revoke,
    jwks_uri: `${issuer}/.well-known/jwks.json`,
    response_types_supported: ['code'],
    response_modes_supported: ['query'],
    grant_types_supported: ['authorization_code', 'refresh_token'],
    code_challenge_methods_supported: ['S256'],
    token_endpoint_auth_methods_supported: ['none'],
    revocation_endpoint_auth_methods_supported: ['none'],
    scopes_supported: TOKEN_SCOPES,
    client_id_metadata_document_supported: true,
    authorization_response_iss_parameter_supported: true,
    service_documentation: `${issuer}/docs`,
  };
}

/** Returns the same in the form of OpenID Connect Discovery, which requires two fields of ID tokens. None are issued. */
export function openIdMetadata(addresses: OAuthAddresses): object {
  return {
    ...serverMetadata(addresses),
    subject_types_supported: ['public'],
    id_token_signing_alg_values_supported: ['ES256'],
  };
}
