import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { OAuthApp } from './oauth-app.js';

let app: OAuthApp;
let token: string;
beforeAll(async () => {
  app = await OAuthApp.open();
  token = (await app.connect()).access_token;
});
afterAll(() => app.world.close());

const RESOURCE = '/.well-known/oauth-protected-resource';
const LIST = { jsonrpc: '2.0', id: 1, method: 'tools/list', params: {} };
const ACCEPT = { accept: 'application/json, text/event-stream', 'mcp-protocol-version': '2025-11-25' };

describe('the endpoint', () => {
  it.each(['/mcp', '/mcp/', '/mcp/?a=b', '/mcp?a=b'])('serves MCP at %s', async (path) => {
    const { status, text } = await app.client.as(token).post(path, LIST, ACCEPT);
    expect([status, text.includes('get_balances')]).toEqual([200, true]);
    expect(await app.client.as(token).get(path, { headers: ACCEPT })).toMatchObject({ status: 405 });
  });

  it.each(['/mcp', '/mcp/'])('at %s names metadata whose resource is spelled as the request', async (path) => {
    const { status, headers } = await app.client.post(path, LIST, ACCEPT);
    expect(status).toBe(401);
    const [, address] = /resource_metadata="([^"]+)"/.exec(headers['www-authenticate'] as string)!;
    const metadata = await app.client.get(new URL(address!).pathname);
    expect(metadata.body).toMatchObject({ resource: app.client.url + path });
    const form = { resource: app.client.url + path };
    const authorized = await app.redeem(await app.code(form), form);
    expect((await app.client.as(authorized.body.access_token as string).post(path, LIST, ACCEPT)).status).toBe(200);
  });

  it.each(['/mcp//', '/MCP', '/mcp/x', '/mcpx'])('is not at %s', async (path) => {
    expect(await app.client.as(token).post(path, LIST, ACCEPT)).toMatchObject({ status: 404 });
  });
});

describe('discovery', () => {
  it.each([RESOURCE, `${RESOURCE}/`, `${RESOURCE}/mcp`, `/mcp${RESOURCE}`, `${RESOURCE}?a=b`])(
    'describes the endpoint at %s',
    async (path) => {
      const { status, headers, body } = await app.client.get(path);
      expect([status, headers['content-type']]).toEqual([200, 'application/json; charset=utf-8']);
      expect(body).toMatchObject({ resource: `${app.client.url}/mcp`, authorization_servers: [app.client.url] });
    },
  );

  const pathsOf = (name: string) => {
    const path = `/.well-known/${name}`;
    return [path, `${path}/`, `${path}/mcp`, `${path}/mcp/`, `/mcp${path}`, `${path}?a=b`];
  };

  it.each([...pathsOf('oauth-authorization-server'), ...pathsOf('openid-configuration')])(
    'describes the authorization server at %s',
    async (path) => {
      const { status, headers, body } = await app.client.get(path);
      expect([status, headers['content-type']]).toEqual([200, 'application/json; charset=utf-8']);
      const { url } = app.client;
      expect(body).toMatchObject({
        ...{ issuer: url, authorization_endpoint: `${url}/oauth/authorize`, token_endpoint: `${url}/oauth/token` },
        ...{ jwks_uri: `${url}/.well-known/jwks.json`, code_challenge_methods_supported: ['S256'] },
      });
    },
  );

  it.each(pathsOf('openid-configuration'))('has at %s what readers of OpenID Connect require', async (path) => {
    const { body } = await app.client.get(path);
    for (const field of [
      'response_types_supported',
      'subject_types_supported',
      'id_token_signing_alg_values_supported',
    ])
      expect(body[field]).toEqual([expect.any(String)]);
  });
});
