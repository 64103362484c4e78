import { describe, expect, it } from '@jest/globals';
import { ClientRefused } from '../../ports/client-documents.js';
import { parseDocument } from './parse-document.js';

const ID = 'https://clients.example.com/editor.json';

const DOCUMENT = {
  client_id: ID,
  client_name: 'Example Editor',
  client_uri: 'https://example.com/',
  redirect_uris: ['http://127.0.0.1:3000/callback', 'cursor://example.editor/oauth'],
  token_endpoint_auth_method: 'none',
};

/** A document that authenticates with a key where it can. */
const PREFERS_KEY = {
  ...DOCUMENT,
  token_endpoint_auth_method: 'private_key_jwt',
  token_endpoint_auth_methods_supported: ['private_key_jwt', 'none'],
};

const parse = (body: unknown) => parseDocument(ID, Buffer.from(JSON.stringify(body)));

describe('a document', () => {
  it.each([
    ['without the optional fields', { client_uri: undefined, token_endpoint_auth_method: undefined }],
    ['with fields that are not used', { jwks: { keys: [] }, grant_types: ['authorization_code'] }],
    ['with a preferred key', PREFERS_KEY],
    [
      'with none before its key',
      { ...PREFERS_KEY, token_endpoint_auth_methods_supported: ['none', 'private_key_jwt'] },
    ],
    ['with a preferred key and its public half', { ...PREFERS_KEY, jwks_uri: 'https://clients.example.com/jwks' }],
    ['with a preferred key and no secret', { ...PREFERS_KEY, client_secret_expires_at: 0 }],
    ['with methods that none excludes', { token_endpoint_auth_methods_supported: ['client_secret_basic'] }],
    ['with a secret that is null', { client_secret: null, client_secret_expires_at: null }],
    ['with a secret that never existed', { client_secret_expires_at: 0 }],
    ['with a name of 100 characters', { client_name: 'é'.repeat(100) }],
    ['with 20 redirect URIs', { redirect_uris: Array.from({ length: 20 }, (_, i) => `https://example.com/${i}`) }],
  ])('is accepted %s', (_, changes) => {
    expect(parse({ ...DOCUMENT, ...changes })).toMatchObject({ id: ID });
  });

  it.each([
    ['a list', [DOCUMENT], 'JSON object'],
    ['null', null, 'JSON object'],
    ['of another client', { ...DOCUMENT, client_id: `${ID}x` }, 'client_id'],
    ['without client_id', { ...DOCUMENT, client_id: undefined }, 'client_id'],
    ['without a name', { ...DOCUMENT, client_name: undefined }, 'client_name'],
    ['with an empty name', { ...DOCUMENT, client_name: ' ' }, 'client_name'],
    ['with a name of 101 characters', { ...DOCUMENT, client_name: 'x'.repeat(101) }, 'client_name'],
    ['with a line end in the name', { ...DOCUMENT, client_name: 'a\nb' }, 'client_name'],
    ['with a bidi control in the name', { ...DOCUMENT, client_name: 'a\u202eb' }, 'client_name'],
    ['with an invisible character in the name', { ...DOCUMENT, client_name: 'a\u200bb' }, 'client_name'],
    ['with half a character in the name', { ...DOCUMENT, client_name: 'a\ud800b' }, 'client_name'],
    ['with an http home page', { ...DOCUMENT, client_uri: 'http://example.com/' }, 'client_uri'],
    [
      'with a home page that has a user name',
      { ...DOCUMENT, client_uri: 'https://bank.com@example.com/' },
      'client_uri',
    ],
    ['without redirect URIs', { ...DOCUMENT, redirect_uris: undefined }, 'redirect_uris'],
    ['with no redirect URI', { ...DOCUMENT, redirect_uris: [] }, 'redirect_uris'],
    ['with 21 redirect URIs', { ...DOCUMENT, redirect_uris: Array(21).fill('https://a.com/') }, 'redirect_uris'],
    ['with a number as redirect URI', { ...DOCUMENT, redirect_uris: [1] }, 'redirect_uris: 0 must be text'],
    ['with a secret', { ...DOCUMENT, client_secret: 'x' }, 'secret'],
    ['with an empty secret', { ...DOCUMENT, client_secret: '' }, 'secret'],
    ['with the end of a secret', { ...DOCUMENT, client_secret_expires_at: 1_893_456_000 }, 'secret'],
    ['with a secret beside its end', { ...DOCUMENT, client_secret: 'x', client_secret_expires_at: 0 }, 'secret'],
    ['with client_secret_basic', { ...DOCUMENT, token_endpoint_auth_method: 'client_secret_basic' }, 'must be none'],
    ['with private_key_jwt', { ...DOCUMENT, token_endpoint_auth_method: 'private_key_jwt' }, 'must be none'],
    ['with a method that is a number', { ...DOCUMENT, token_endpoint_auth_method: 0 }, 'token_endpoint_auth_method'],
    ...[undefined, [], ['private_key_jwt'], ['None'], 'none', { none: true }].map(
      (methods): [string, unknown, string] => [
        `with a key and the methods ${JSON.stringify(methods)}`,
        { ...PREFERS_KEY, token_endpoint_auth_methods_supported: methods },
        'must be none',
      ],
    ),
    ...['client_secret_basic', 'client_secret_post', 'client_secret_jwt', ''].map(
      (method): [string, unknown, string] => [
        `with the method "${method}" that also offers none`,
        { ...PREFERS_KEY, token_endpoint_auth_method: method },
        'must be none',
      ],
    ),
  ])('%s is refused', (_, body, reason) => {
    expect(() => parse(body)).toThrow(ClientRefused);
    expect(() => parse(body)).toThrow(reason);
  });

  it.each([
    'https://example.com/callback?a=b',
    'http://localhost/callback',
    'http://127.0.0.1:65535/callback',
    'http://[::1]:3000/',
    'com.example.app:/oauth',
    'cursor://example.editor/oauth',
    'vscode://example.editor/oauth',
    'vscode-insiders://example.editor/oauth',
    `https://example.com/${'x'.repeat(480)}`,
  ])('may redirect to %s', (uri) => {
    expect(parse({ ...DOCUMENT, redirect_uris: [uri] })).toMatchObject({ redirectUris: [uri] });
  });

  it.each([
    '/callback',
    'https://',
    'http://example.com/callback',
    'http://127.0.0.2/callback',
    'http://localhost.example.com/callback',
    'http://localhost@example.com/callback',
    'https://example.com/callback#a',
    'https://example.com/callback#',
    'https://good.example\\@example.com/',
    'https://example.com/a b',
    'https://example.com/\n',
    'https://exämple.com/',
    'javascript:alert(1)',
    'JavaScript:alert(1)',
    'data:text/html,x',
    'file:///etc/passwd',
    'blob:https://example.com/1',
    'about:blank',
    'ftp://example.com/',
    'app://callback',
    `https://example.com/${'x'.repeat(481)}`,
  ])('may not redirect to %j', (uri) => {
    const body = { ...DOCUMENT, redirect_uris: ['https://example.com/', uri] };
    expect(() => parse(body)).toThrow('redirect_uris: 1 must');
  });
});
