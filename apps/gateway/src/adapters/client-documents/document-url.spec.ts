import { describe, expect, it } from '@jest/globals';
import { ClientRefused } from '../../ports/client-documents.js';
import { documentUrl } from './document-url.js';

const HOST = 'clients.example.com';
const ID = `https://${HOST}/editor.json`;

describe('a client id', () => {
  it.each([
    ['text', 'editor', 'https URL'],
    ['http', `http://${HOST}/editor.json`, 'https URL'],
    ['another scheme', 'file:///etc/passwd', 'https URL'],
    ['301 characters', `${ID}?${'x'.repeat(300 - ID.length)}`, '300 characters'],
    ['no path', `https://${HOST}`, 'path'],
    ['the root as its path', `https://${HOST}/`, 'path'],
    ['a dot segment', `https://${HOST}/a/../editor.json`, 'normalized'],
    ['an encoded dot segment', `https://${HOST}/a/%2E%2e/editor.json`, 'normalized'],
    ['a backslash', `https://${HOST}\\editor.json`, 'normalized'],
    ['upper-case letters in the host', 'https://Clients.example.com/editor.json', 'normalized'],
    ['a line end', `https://${HOST}/edi\ntor.json`, 'normalized'],
    ['full-width letters', 'https://ｃlients.example.com/editor.json', 'normalized'],
    ['the port 443', `https://${HOST}:443/editor.json`, 'normalized'],
    ['another port', `https://${HOST}:8443/editor.json`, 'port 443'],
    ['a fragment', `${ID}#a`, 'fragment'],
    ['an empty fragment', `${ID}#`, 'fragment'],
    ['a user name', `https://a@${HOST}/editor.json`, 'user name'],
    ['a password', `https://:a@${HOST}/editor.json`, 'user name'],
    ['an empty user name', `https://@${HOST}/editor.json`, 'normalized'],
    ['an IPv4 address', 'https://93.184.216.34/editor.json', 'IP address'],
    ['a short IPv4 address', 'https://127.1/editor.json', 'IP address'],
    ['a decimal IPv4 address', 'https://2130706433/editor.json', 'IP address'],
    ['a hexadecimal IPv4 address', 'https://0x7f000001/editor.json', 'IP address'],
    ['a full-width IPv4 address', 'https://１２７.0.0.1/editor.json', 'IP address'],
    ['an IPv6 address', 'https://[2606:4700::1111]/editor.json', 'IP address'],
    ['localhost', 'https://localhost/editor.json', 'public host'],
    ['a name below localhost', 'https://a.localhost/editor.json', 'public host'],
    ['a .local name', 'https://svc.cluster.local/editor.json', 'public host'],
    ['a .internal name', 'https://metadata.google.internal/editor.json', 'public host'],
    ['a single label', 'https://intranet/editor.json', 'public host'],
    ['a dot at the end of its host', `https://${HOST}./editor.json`, 'public host'],
  ])('with %s is refused', (_, clientId, reason) => {
    expect(() => documentUrl(clientId)).toThrow(ClientRefused);
    expect(() => documentUrl(clientId)).toThrow(reason);
  });

  it.each([
    ['300 characters', `${ID}?${'x'.repeat(299 - ID.length)}`],
    ['a directory as its path', `https://${HOST}/a/`],
    ['a host in Punycode', 'https://xn--bcher-kva.example/editor.json'],
    ['a host that only looks private', 'https://notlocal.localhost.example.com/editor.json'],
  ])('with %s is the URL of its document', (_, clientId) => {
    expect(documentUrl(clientId).href).toBe(clientId);
  });
});
