import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { CALLBACK, clientWith, OAuthApp } from './oauth-app.js';

const HTTPS = 'https://app.example.com/back?a=b';
const PRIVATE = 'com.example.app:/oauth';

let app: OAuthApp;
beforeAll(async () => {
  app = await OAuthApp.open(clientWith('https-app', HTTPS), clientWith('private-app', PRIVATE));
});
afterAll(() => app.world.close());

const TARGETS: ReadonlyArray<readonly [string, string]> = [
  ['an-app', CALLBACK],
  ['an-app', 'http://127.0.0.1:4711/callback'],
  ['https-app', HTTPS],
  ['private-app', PRIVATE],
];

describe('a token request for a code', () => {
  it.each(TARGETS)('by %s that authorized %s succeeds without redirect_uri', async (client_id, redirect_uri) => {
    for (const given of [undefined, '', redirect_uri]) {
      const code = await app.code({ client_id, redirect_uri });
      expect(await app.redeem(code, { client_id, redirect_uri: given })).toMatchObject({ status: 200 });
    }
  });

  it.each(TARGETS)('by %s that authorized %s fails with another redirect_uri', async (client_id, redirect_uri) => {
    const code = await app.code({ client_id, redirect_uri });
    for (const other of [`${redirect_uri}x`, redirect_uri.toUpperCase(), ` ${redirect_uri}`, 'null']) {
      const { status, body } = await app.redeem(code, { client_id, redirect_uri: other });
      expect([status, body.error]).toEqual([400, 'invalid_grant']);
    }
    expect(await app.redeem(code, { client_id, redirect_uri: undefined })).toMatchObject({ status: 200 });
  });

  it.each([undefined, '', 'w'.repeat(43)])(
    'without redirect_uri still needs the verifier, not %j',
    async (verifier) => {
      const code = await app.code();
      const given = { redirect_uri: undefined, code_verifier: verifier };
      expect((await app.redeem(code, given)).body).toMatchObject({ error: 'invalid_grant' });
    },
  );
});
