import { isIP } from 'node:net';
import { ClientRefused } from '../../ports/client-documents.js';

const MAX_ID_LENGTH = 300;

/** Suffixes of names that a private network resolves by itself (RFC 6761, 6762, 8375, and ICANN's `internal`). */
const PRIVATE_SUFFIXES = ['localhost', 'local', 'internal', 'home.arpa'];

/** Reads a client id as the URL of its document. @throws ClientRefused */
export function documentUrl(clientId: string): URL {
  if (clientId.length > MAX_ID_LENGTH)
    throw new ClientRefused(`client_id must have ${MAX_ID_LENGTH} characters at most.`);
  const url = URL.parse(clientId);
  if (url?.protocol !== 'https:') throw new ClientRefused('client_id must be an https URL.');
  if (url.username || url.password) throw new ClientRefused('client_id must not contain a user name or a password.');
  if (clientId.includes('#')) throw new ClientRefused('client_id must not contain a fragment.');
  if (url.port !== '') throw new ClientRefused('client_id must use port 443.');
  if (url.pathname === '/') throw new ClientRefused('client_id must have a path.');
  checkHost(url.hostname);
  // The parser resolves dot segments and more. Two spellings of an address would be two clients with one document.
  if (url.href !== clientId)
    throw new ClientRefused('client_id must be a normalized URL: lower-case host, no port, no dot segments.');
  return url;
}

/** Refuses hosts that are not public names. The parser writes every form of an IPv4 address as four decimal numbers. */
function checkHost(host: string): void {
  if (host.startsWith('[') || isIP(host)) throw new ClientRefused('client_id must name a host, not an IP address.');
  const isPrivate = PRIVATE_SUFFIXES.some((suffix) => `.${host}`.endsWith(`.${suffix}`));
  if (isPrivate || !host.includes('.') || host.endsWith('.'))
    throw new ClientRefused('client_id must name a public host.');
}
