import { newId } from '@agent-wallet/kernel';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { ASSERTION, Browser } from './owner-console.js';
import { clientWith, OAuthApp } from './oauth-app.js';

const EDITOR = 'vscode://claude.ai/api/mcp/auth_callback';
const LOOK_ALIKE = 'com.evil.app://claude.ai/api/mcp/auth_callback';
const LOOPBACK = 'http://127.0.0.1/back?x=1';

let app: OAuthApp;
beforeAll(async () => {
  app = await OAuthApp.open(
    clientWith('shown', 'https://App.Example.com:8443/back', 'https://app.example.com/', EDITOR, LOOK_ALIKE, LOOPBACK),
  );
});
afterAll(() => app.world.close());

const shown = async (connectionId: string) => app.browser.get(`/owner/connections/${connectionId}`);

/** Returns a browser of the same owner that has begun nothing. */
function otherBrowser(): Browser {
  const other = new Browser(app.client);
  other.cookie = app.browser.cookie.split('; ')[0]!;
  return other;
}

describe('the request that an owner reads', () => {
  it.each([
    ['https://App.Example.com:8443/back', 'app.example.com:8443', false],
    ['https://app.example.com/', 'app.example.com', false],
    [LOOK_ALIKE, LOOK_ALIKE, true],
    [EDITOR, EDITOR, true],
    [LOOPBACK, LOOPBACK, true],
  ])('with %s names the receiver %s; any program of the machine: %s', async (redirect_uri, receiver, isLocal) => {
    const { body } = await shown(await app.request({ client_id: 'shown', redirect_uri }));
    expect(body.data.connection).toMatchObject({ receiver, redirectsToThisMachine: isLocal });
  });
});

describe('the browser that begins a request', () => {
  it('gets a cookie that no script, site or other host can read or set', async () => {
    const { headers } = await app.authorize();
    const id = (headers['location'] as string).split('/').at(-1);
    expect(headers['set-cookie']).toEqual([
      `__Host-connection-${id}=begun; Max-Age=600; Path=/; HttpOnly; SameSite=Strict; Secure`,
    ]);
  });

  it('gets none for an error', async () => {
    const { status, headers } = await app.authorize({ response_type: 'token' });
    expect([status, headers['set-cookie']]).toEqual([302, undefined]);
  });

  it('is the only one that can read, reject and grant it', async () => {
    const id = await app.request();
    const other = otherBrowser();
    const replies = [
      await other.get(`/owner/connections/${id}`),
      await other.post(`/owner/connections/${id}/reject`, {}),
      await other.post(`/owner/approvals/${newId()}/approve`, { assertion: ASSERTION, connectionId: id }),
    ];
    for (const { status, text } of replies) {
      expect([status, text]).toEqual([404, expect.stringContaining('Start again in the app')]);
    }
    expect((await shown(id)).status).toBe(200);
    expect(new URL(await app.grant(id)).searchParams.has('code')).toBe(true);
  });

  it('keeps the requests that it began before', async () => {
    const first = await app.request();
    const cookie = app.browser.cookie.split('; ')[1]!;
    const second = await app.request();
    app.browser.cookie += `; ${cookie}`;
    expect([(await shown(first)).status, (await shown(second)).status]).toEqual([200, 200]);
  });

  it('is sent on a developer’s machine to the host that the console calls, and gets a cookie there', async () => {
    const ownerOrigin = 'http://localhost:3000';
    const { url } = await app.world.start({ ownerOrigin });
    const { body } = await app.client.at(url).get('/.well-known/oauth-authorization-server');
    const base = url.replace('127.0.0.1', 'localhost');
    expect(body).toMatchObject({ issuer: url, authorization_endpoint: `${base}/oauth/authorize` });
    const { headers } = await app.authorize({}, app.client.at(url));
    expect(headers['set-cookie']).toEqual([
      expect.stringMatching(/^connection-[\w-]{36}=begun; Max-Age=600; Path=\/; HttpOnly; SameSite=Strict$/),
    ]);
  });
});
