import { TOKEN_SCOPES } from '@agent-wallet/kernel';
import type { OAuthAddresses } from '../../application/connections/request-connection.js';

/** Path of the metadata of the MCP endpoint (RFC 9728), which a 401 of the endpoint names. */
export const RESOURCE_METADATA_PATH = '/.well-known/oauth-protected-resource/mcp';

/** Returns the address of the metadata of the MCP endpoint. */
export function metadataUrlOf(addresses: OAuthAddresses | undefined): string | undefined {
  return addresses && addresses.issuer + RESOURCE_METADATA_PATH;
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
export function serverMetadata({ issuer }: OAuthAddresses): object {
  return {
    issuer,
    authorization_endpoint: issuer + OAUTH_PATHS.authorize,
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
