import { beforeAll, describe, expect, it } from '@jest/globals';
import { createHash, randomBytes } from 'node:crypto';
import { grant, type Person, personOf } from './harness/connecting.js';
import { type Deployment, OAUTH_CLIENTS, shareDeployment } from './harness/deployment.js';
import { newRecipient } from './harness/recipient.js';

// Apps that connect by OAuth, with a real policy and passkey.

const CALLBACK = 'http://127.0.0.1/callback';
const CLIENT = OAUTH_CLIENTS.host;
const OTHER = OAUTH_CLIENTS.other;

let deployment: Deployment;
let issuer: string;

beforeAll(async () => {
  deployment = await shareDeployment();
  issuer = deployment.url();
});

interface Pkce {
  readonly verifier: string;
  readonly challenge: string;
}

function newPkce(): Pkce {
  const verifier = randomBytes(32).toString('base64url');
  return { verifier, challenge: createHash('sha256').update(verifier).digest('base64url') };
}

/** Sends a browser to the authorization endpoint, and returns where it goes next. */
async function authorize(given: Record<string, string>): Promise<Response> {
  return fetch(`${issuer}/oauth/authorize?${new URLSearchParams(given).toString()}`, { redirect: 'manual' });
}

const request = ({ challenge }: Pkce, more: Record<string, string> = {}) => ({
  ...{ response_type: 'code', client_id: CLIENT.client_id, redirect_uri: CALLBACK, state: 'a state' },
  ...{ code_challenge: challenge, code_challenge_method: 'S256', scope: 'read transfer' },
  ...more,
});

async function post(path: string, form: Record<string, string>) {
  const response = await fetch(issuer + path, { method: 'POST', body: new URLSearchParams(form) });
  return {
    status: response.status,
    headers: response.headers,
    body: (await response.json()) as Record<string, string>,
  };
}

const redeem = (code: string, { verifier }: Pkce, more: Record<string, string> = {}) =>
  post('/oauth/token', {
    ...{ grant_type: 'authorization_code', code, code_verifier: verifier, redirect_uri: CALLBACK },
    client_id: CLIENT.client_id,
    ...more,
  });

const refresh = (token: string, more: Record<string, string> = {}) =>
  post('/oauth/token', { grant_type: 'refresh_token', refresh_token: token, client_id: CLIENT.client_id, ...more });

/** Calls a tool of the MCP endpoint with a token. */
async function callTool(token: string, name: string, given: object = {}) {
  const response = await fetch(`${issuer}/mcp`, {
    method: 'POST',
    headers: {
      ...{ authorization: `Bearer ${token}`, 'content-type': 'application/json' },
      accept: 'application/json, text/event-stream',
    },
    body: JSON.stringify({ jsonrpc: '2.0', id: 1, method: 'tools/call', params: { name, arguments: given } }),
  });
  const text = await response.text();
  const json = /^data: (\{.*\})$/m.exec(text)?.[1] ?? text;
  return { status: response.status, headers: response.headers, body: JSON.parse(json) as never };
}

/** Connects an app, and returns its tokens. */
async function connect(who: Person, terms: object = {}) {
  const pkce = newPkce();
  const page = await authorize(request(pkce));
  const back = new URL(await grant(who, page, terms));
  const code = back.searchParams.get('code')!;
  const tokens = await redeem(code, pkce, { resource: `${issuer}/mcp` });
  return { back, code, pkce, tokens: tokens.body };
}

describe('an app that connects', () => {
  it('finds the authorization server from the endpoint', async () => {
    const refused = await fetch(`${issuer}/mcp`, { method: 'POST' });
    const metadataUrl = `${issuer}/.well-known/oauth-protected-resource/mcp`;
    expect(refused.headers.get('www-authenticate')).toBe(`Bearer resource_metadata="${metadataUrl}"`);
    const resource = (await (await fetch(metadataUrl)).json()) as { resource: string; authorization_servers: string[] };
    expect(resource).toMatchObject({ resource: `${issuer}/mcp`, authorization_servers: [issuer] });
    const server = await (await fetch(`${issuer}/.well-known/oauth-authorization-server`)).json();
    expect(server).toMatchObject({
      ...{ issuer, token_endpoint: `${issuer}/oauth/token` },
      // The console calls the API at localhost, where the browser must get its cookie.
      authorization_endpoint: `${issuer.replace('127.0.0.1', 'localhost')}/oauth/authorize`,
      ...{ code_challenge_methods_supported: ['S256'], client_id_metadata_document_supported: true },
    });
  });

  it('gets a token with the limits that its owner signed, for the endpoint alone', async () => {
    const who = await personOf(deployment);
    const { back, tokens } = await connect(who, { totalLimitInUsd: 5 });
    expect([back.origin + back.pathname, back.searchParams.get('state'), back.searchParams.get('iss')]).toEqual([
      ...[CALLBACK, 'a state', issuer],
    ]);
    expect(tokens).toMatchObject({ token_type: 'Bearer', expires_in: 3_600, scope: 'read transfer' });
    const { access_token: token } = tokens as { access_token: string };
    expect(await callTool(token, 'get_balances')).toMatchObject({ status: 200 });
    const denied = await callTool(token, 'prepare_transfer', { to: newRecipient(), amount: '6', mint: 'USDC' });
    expect(denied.body).toMatchObject({
      result: { structuredContent: { decision: 'denied', preview: { policy: { rule: 'grant_limit' } } } },
    });
    expect((await who.agent.as(token).balances()).status).toBe(401);
  });

  it('is sent to its owner for a scope that its token lacks', async () => {
    const { tokens } = await connect(await personOf(deployment));
    const { status, headers } = await callTool(tokens['access_token']!, 'prepare_trade', {});
    expect(status).toBe(403);
    expect(headers.get('www-authenticate')).toMatch(/error="insufficient_scope", scope="read transfer trade"/);
  });

  it('loses all when its owner ends the token', async () => {
    const who = await personOf(deployment);
    const { tokens } = await connect(who);
    const [listed] = (await who.agent.tokens()).body.data.tokens;
    await who.owner.call(`/agents/${who.agentId}/tokens/${listed!.id}`, undefined, 'DELETE');
    expect((await callTool(tokens['access_token']!, 'get_balances')).status).toBe(401);
    expect((await refresh(tokens['refresh_token']!)).body).toMatchObject({ error: 'invalid_grant' });
  });

  it('leaves no token behind that another decision kept from it', async () => {
    const [first, second] = [await personOf(deployment), await personOf(deployment)];
    const page = await authorize(request(newPkce()));
    const both = await Promise.allSettled([grant(first, page), grant(second, page)]);
    expect(both.filter(({ status }) => status === 'fulfilled')).toHaveLength(1);
    const live = await Promise.all([first, second].map(async ({ agent }) => (await agent.tokens()).body.data.tokens));
    expect(live.flat()).toHaveLength(1);
  });

  it('gets nothing when its owner rejects it, and cannot be granted after that', async () => {
    const who = await personOf(deployment);
    const id = who.owner.follow(await authorize(request(newPkce())));
    expect((await who.owner.call(`/connections/${id}`)).body.data).toMatchObject({
      connection: {
        clientName: 'A host',
        receiver: CALLBACK,
        redirectsToThisMachine: true,
        scopes: ['read', 'transfer'],
      },
    });
    const denied = await who.owner.call(`/connections/${id}/reject`, {});
    expect((denied.body.data as unknown as { redirectTo: string }).redirectTo).toContain('error=access_denied');
    expect((await who.owner.call(`/connections/${id}`)).status).toBe(404);
  });
});

describe('a code', () => {
  it('is good once: a second use ends what the first one got', async () => {
    const who = await personOf(deployment);
    const { code, pkce, tokens } = await connect(who);
    expect((await redeem(code, pkce)).body).toMatchObject({ error: 'invalid_grant' });
    expect((await callTool(tokens['access_token']!, 'get_balances')).status).toBe(401);
  });

  it.each<[string, (pkce: Pkce) => [Pkce, Record<string, string>], string]>([
    ['with another verifier', () => [newPkce(), {}], 'invalid_grant'],
    ['by another client', (pkce) => [pkce, { client_id: OTHER.client_id }], 'invalid_grant'],
    ['with another redirect URI', (pkce) => [pkce, { redirect_uri: `${CALLBACK}/x` }], 'invalid_grant'],
    ['for another resource', (pkce) => [pkce, { resource: 'https://other.example.com/mcp' }], 'invalid_target'],
  ])('is not redeemed %s', async (_, change, error) => {
    const pkce = newPkce();
    const page = await authorize(request(pkce));
    const back = new URL(await grant(await personOf(deployment), page, {}));
    const [given, more] = change(pkce);
    const code = back.searchParams.get('code')!;
    expect((await redeem(code, given, more)).body).toMatchObject({ error });
    // What was wrong has used nothing up.
    expect((await redeem(code, pkce)).status).toBe(200);
  });
});

describe('a refresh token', () => {
  it('is replaced by each use, for the same limits', async () => {
    const { tokens } = await connect(await personOf(deployment));
    const next = await refresh(tokens['refresh_token']!);
    expect(next.headers.get('cache-control')).toBe('no-store');
    expect((await callTool(next.body['access_token']!, 'get_balances')).status).toBe(200);
    expect((await refresh(next.body['refresh_token']!)).status).toBe(200);
  });

  it('is of its client, and ends by its revocation', async () => {
    const { tokens } = await connect(await personOf(deployment));
    const token = tokens['refresh_token']!;
    expect((await refresh(token, { client_id: OTHER.client_id })).body).toMatchObject({ error: 'invalid_grant' });
    expect((await post('/oauth/revoke', { token, client_id: OTHER.client_id })).status).toBe(200);
    expect((await callTool(tokens['access_token']!, 'get_balances')).status).toBe(200);
    expect((await post('/oauth/revoke', { token, client_id: CLIENT.client_id })).status).toBe(200);
    expect((await callTool(tokens['access_token']!, 'get_balances')).status).toBe(401);
    expect((await refresh(token)).body).toMatchObject({ error: 'invalid_grant' });
  });
});

describe('a form', () => {
  it.each<[string, string, Record<string, string>]>([
    ['a control character', '/oauth/token', { grant_type: 'refresh_token', refresh_token: 'x', client_id: '\0' }],
    ['an access token to revoke', '/oauth/revoke', { token: 'a.b.c', client_id: CLIENT.client_id }],
    ['no token to revoke', '/oauth/revoke', { client_id: CLIENT.client_id }],
  ])('with %s is refused as OAuth does', async (_, path, form) => {
    const { status, body } = await post(path, form);
    expect([status, typeof body['error']]).toEqual([400, 'string']);
  });
});

describe('a request for access', () => {
  it.each<[string, Record<string, string>, string]>([
    ['without PKCE', { code_challenge: '' }, 'invalid_request'],
    ['with a plain challenge', { code_challenge_method: 'plain' }, 'invalid_request'],
    ['for another resource', { resource: 'https://other.example.com/mcp' }, 'invalid_target'],
    ['for a token at once', { response_type: 'token' }, 'unsupported_response_type'],
  ])('%s goes back to the app as an error', async (_, change, error) => {
    const response = await authorize(request(newPkce(), change));
    const back = new URL(response.headers.get('location')!);
    expect([response.status, back.origin + back.pathname]).toEqual([302, CALLBACK]);
    expect(Object.fromEntries(back.searchParams)).toMatchObject({ error, state: 'a state', iss: issuer });
  });

  it.each<[string, Record<string, string>]>([
    ['by an unknown client', { client_id: 'https://unknown.example.invalid/client.json' }],
    ['by a document on this machine', { client_id: 'https://localhost/client.json' }],
    ['by a document at a private address', { client_id: 'https://10.0.0.1/client.json' }],
    ['with another redirect URI', { redirect_uri: 'https://evil.example.com/callback' }],
    ['with a redirect URI that begins like its own', { redirect_uri: `${CALLBACK}.evil.example.com` }],
  ])('%s goes nowhere', async (_, change) => {
    const response = await authorize(request(newPkce(), change));
    expect([response.headers.get('location'), response.status >= 400]).toEqual([null, true]);
  });

  it('may name any port of the own machine', async () => {
    const response = await authorize(request(newPkce(), { redirect_uri: 'http://127.0.0.1:4711/callback' }));
    expect(response.headers.get('location')).toContain('/connect/');
  });
});
