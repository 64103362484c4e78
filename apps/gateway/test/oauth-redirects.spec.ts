import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { parseDocument } from '../src/adapters/client-documents/parse-document.js';
import { clientWith, OAuthApp } from './oauth-app.js';

/** Redirect URIs, each of which a URL parser would rewrite. */
const SPELLINGS = [
  'https://app.example.com',
  'https://App.Example.com/Back',
  'HTTPS://app.example.com/upper',
  'https://app.example.com:443/port',
  'https://app.example.com/a/./b/../c',
  'https://app.example.com/%7Euser/%c3%a9',
  'https://app.example.com/query?x&y=a%20b&z=',
  'https://app.example.com/open?',
  'https://app.example.com/code?code=own',
  'com.example.app:/a/../%7e',
  'Com.Example.App://Host/path',
  'http://127.1/short',
  'http://LOCALHOST/upper',
  'http://127.0.0.1?next=1',
];

const LOOPBACK = ['http://localhost/cb', 'http://[::1]:9000/cb?a=%20', 'http://127.0.0.1?next=1', 'HTTP://LocalHost/x'];

let app: OAuthApp;
beforeAll(async () => {
  const documented = parseDocument('https://a.example.com/app', documentOf(SPELLINGS)).redirectUris;
  app = await OAuthApp.open(clientWith('spelled', ...documented), clientWith('local', ...LOOPBACK));
});
afterAll(() => app.world.close());

function documentOf(redirect_uris: readonly string[]): Buffer {
  return Buffer.from(JSON.stringify({ client_id: 'https://a.example.com/app', client_name: 'An app', redirect_uris }));
}

describe('a redirect URI', () => {
  it.each(SPELLINGS)('%s stays as its app spells it', async (redirect_uri) => {
    const back = await app.grant(await app.request({ client_id: 'spelled', redirect_uri, state: 'x' }));
    expect(back.startsWith(redirect_uri)).toBe(true);
    const [code, iss, state, ...more] = back.slice(redirect_uri.length).replace(/^[?&]/, '').split('&');
    expect([code, iss, state, more]).toEqual([
      expect.stringMatching(/^code=[\w-]{43}$/),
      `iss=${encodeURIComponent(app.client.url)}`,
      'state=x',
      [],
    ]);
    const redeemed = await app.redeem(code!.slice(5), { client_id: 'spelled', redirect_uri });
    expect(redeemed.status).toBe(200);
  });

  it.each(SPELLINGS)('%s is not accepted in the parsed spelling', async (registered) => {
    const redirect_uri = new URL(registered).href;
    if (redirect_uri === registered) return;
    const { status, headers } = await app.authorize({ client_id: 'spelled', redirect_uri });
    expect([status, headers['location']]).toEqual([400, undefined]);
    const code = await app.code({ client_id: 'spelled', redirect_uri: registered });
    expect(await app.redeem(code, { client_id: 'spelled', redirect_uri })).toMatchObject({ status: 400 });
  });

  it.each([
    'http://localhost:1/cb',
    'http://localhost:65535/cb',
    'http://[::1]/cb?a=%20',
    'http://127.0.0.1:5?next=1',
    'HTTP://LocalHost:77/x',
  ])('%s differs from its registration in the port of the own machine alone', async (redirect_uri) => {
    expect(await app.request({ client_id: 'local', redirect_uri })).toEqual(expect.any(String));
  });

  it.each([
    'http://localhost:1/CB',
    'http://localhost:1/cb/',
    'http://LOCALHOST:1/cb',
    'http://127.0.0.1:1/cb',
    'http://localhost:1/cb?',
    'http://localhost:65536/cb',
    'http://localhost:/cb',
    'http://localhost:1@evil.example.com/cb',
    'https://localhost:1/cb',
    'http://[::1]:9000/cb?a=+',
  ])('%s differs from its registration in more', async (redirect_uri) => {
    const { status, headers } = await app.authorize({ client_id: 'local', redirect_uri });
    expect([status, headers['location']]).toEqual([400, undefined]);
  });

  it.each(['http://127.1/short', 'http://LOCALHOST/upper', 'http://127.0.0.1?next=1'])(
    '%s is shown as one of the owner’s own machine',
    async (redirect_uri) => {
      const id = await app.request({ client_id: 'spelled', redirect_uri });
      const { body } = await app.browser.get(`/owner/connections/${id}`);
      expect(body.data.connection).toMatchObject({ redirectsToThisMachine: true });
    },
  );
});
