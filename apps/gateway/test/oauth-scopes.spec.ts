import { TOKEN_SCOPES } from '@agent-wallet/kernel';
import { afterAll, afterEach, beforeAll, describe, expect, it } from '@jest/globals';
import { claimsOf } from './issued-tokens.js';
import { OAuthApp } from './oauth-app.js';

const ALL = [...TOKEN_SCOPES];

let app: OAuthApp;
beforeAll(async () => {
  app = await OAuthApp.open();
});
afterEach(() => app.world.clock.reset());
afterAll(() => app.world.close());

describe('an authorization request', () => {
  it.each([
    ['trade profile address', ['trade']],
    ['  propose   read ', ['propose', 'read']],
    ['read read read:all', ['read']],
    ['wallet:read transfer,trade transfer', ['transfer']],
    ['READ', ALL],
    ['https://graph.example.com/.default groups', ALL],
    ['*', ALL],
    ['   ', ALL],
    [undefined, ALL],
  ])('with the scope %j asks the owner for the known ones', async (scope, known) => {
    const { body } = await app.browser.get(`/owner/connections/${await app.request({ scope })}`);
    expect(body.data.connection.scopes).toEqual(known);
  });

  it('with unknown scopes leads to a token that names what the owner granted', async () => {
    const tokens = await app.connect({ scope: 'phone read trade transfer' }, ['read', 'trade']);
    expect(tokens.scope).toBe('read trade');
    expect(claimsOf(tokens.access_token)['scope']).toBe('read trade');
  });
});

describe('a refresh', () => {
  it.each(['read', 'trade read', 'read phone', 'transfer', 'read trade propose', 'email transfer', '', undefined])(
    'with the scope %j keeps and names what was granted',
    async (scope) => {
      const { refresh_token } = await app.connect({}, ['read', 'trade']);
      expect((await app.refresh(refresh_token, { scope })).body).toMatchObject({ scope: 'read trade' });
    },
  );
});
