import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { CALLBACK, OAuthApp } from './oauth-app.js';

const PRINTABLE = Array.from({ length: 95 }, (_, i) => String.fromCharCode(0x20 + i)).join('');

let app: OAuthApp;
beforeAll(async () => {
  app = await OAuthApp.open();
});
afterAll(() => app.world.close());

/** Returns the parameters of an address as a client decodes them that takes a plus for a plus. */
function decoded(address: string): Record<string, string> {
  const pairs = address.slice(address.indexOf('?') + 1).split('&');
  return Object.fromEntries(pairs.map((pair) => pair.split('=').map(decodeURIComponent) as [string, string]));
}

const STATES: ReadonlyArray<readonly [string, string]> = [
  ['every printable character', PRINTABLE],
  ['2,000 characters that need escapes', '%&=+#"<>? '.repeat(200)],
  ['1,999 characters', 's'.repeat(1_999)],
  ['1,500 characters of base64', 'aB+/'.repeat(374) + 'YQ=='],
  ['text in other scripts', '状態 état 🧭'.repeat(50)],
  ['a space at both ends', ' a '],
];

describe('a state', () => {
  it.each(STATES)('of %s comes back with the code', async (_, state) => {
    const back = await app.grant(await app.request({ state }));
    expect(back.startsWith(`${CALLBACK}?code=`)).toBe(true);
    expect(decoded(back)['state']).toBe(state);
    expect(new URL(back).searchParams.get('state')).toBe(state);
  });

  it.each(STATES)('of %s comes back with a rejection', async (_, state) => {
    const { body } = await app.browser.post(`/owner/connections/${await app.request({ state })}/reject`, {});
    expect(decoded(body.data.redirectTo as string)).toMatchObject({ error: 'access_denied', state });
  });

  it.each(STATES)('of %s comes back with an error', async (_, state) => {
    const { status, headers } = await app.authorize({ state, response_type: 'token' });
    expect(status).toBe(302);
    expect(decoded(headers['location'] as string)).toMatchObject({ error: 'unsupported_response_type', state });
  });

  it.each([2_001, 2_500, 9_999])('of %i characters is refused at the app’s address, without it', async (length) => {
    const { status, headers } = await app.authorize({ state: 's'.repeat(length) });
    expect(status).toBe(302);
    const { state, error, error_description } = decoded(headers['location'] as string);
    expect([state, error]).toEqual([undefined, 'invalid_request']);
    expect(error_description).toBe('state must have at most 2000 characters.');
  });
});
