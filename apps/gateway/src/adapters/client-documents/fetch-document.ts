import type { IncomingHttpHeaders, IncomingMessage } from 'node:http';
import { Agent, request } from 'node:https';
import { isIP, type LookupFunction } from 'node:net';
import { ClientRefused } from '../../ports/client-documents.js';
import type { Network } from './network.js';
import { isPublicAddress } from './public-addresses.js';

const MAX_BYTES = 5 * 1_024;

/** Time for one of two addresses to accept a connection before the other is tried. */
const CONNECT_ATTEMPT_MS = 1_000;

const JSON_TYPE = /^application\/(?:[\w.-]+\+)?json[ \t]*(?:;|$)/i;

/** A document as its server sent it. */
interface FetchedDocument {
  readonly bytes: Buffer;
  readonly cacheControl: string | undefined;
}

/** Fetches a document from public addresses only, following no redirect. @throws ClientRefused */
export async function fetchDocument(url: URL, network: Network, signal: AbortSignal): Promise<FetchedDocument> {
  const addresses = await publicAddresses(url.hostname, network, signal);
  try {
    const response = await get(url, { network, addresses, signal });
    try {
      checkHead(response.statusCode, response.headers);
      return { bytes: await readBody(response), cacheControl: response.headers['cache-control'] };
    } finally {
      response.destroy();
    }
  } catch (error) {
    if (error instanceof ClientRefused) throw error;
    const reason = signal.aborted ? `within ${network.withinMs} ms` : 'over HTTPS';
    throw new ClientRefused(`The host of client_id did not return the document ${reason}.`, { cause: error });
  }
}

/**
 * Returns the first address of each family, for one connection attempt each: a document must not make us scan a network.
 * Unknown, slow and private hosts are refused alike, because strangers must not learn names inside our network.
 */
async function publicAddresses(host: string, network: Network, signal: AbortSignal): Promise<readonly string[]> {
  const addresses = await network.lookup(host, signal).catch(() => []);
  if (addresses.length === 0 || !addresses.every(isPublicAddress))
    throw new ClientRefused('The host of client_id must resolve to public addresses only.');
  return [4, 6].flatMap((family) => addresses.find((address) => isIP(address) === family) ?? []);
}

interface Connection {
  readonly network: Network;
  readonly addresses: readonly string[];
  readonly signal: AbortSignal;
}

function get(url: URL, { network, addresses, signal }: Connection): Promise<IncomingMessage> {
  return new Promise((resolve, reject) => {
    const sent = request({
      host: url.hostname,
      servername: url.hostname,
      port: network.port,
      path: `${url.pathname}${url.search}`,
      headers: {
        host: url.host,
        accept: 'application/json',
        'accept-encoding': 'identity',
        'user-agent': 'agent-wallet',
      },
      agent: ownAgent(),
      lookup: lookupOf(addresses.map((address) => network.route(address))),
      ca: network.ca,
      // NODE_TLS_REJECT_UNAUTHORIZED must not switch this off.
      rejectUnauthorized: true,
      signal,
    });
    sent.once('response', resolve);
    sent.on('error', reject);
    // An upgrade ends the request without a response or an error.
    sent.once('close', () => reject(new Error('the connection closed before a response')));
    sent.end();
  });
}

/** Returns an agent for one request, which keeps no connection and takes no proxy from the environment. */
function ownAgent(): Agent {
  return new Agent({
    keepAlive: false,
    maxCachedSessions: 0,
    autoSelectFamily: true,
    autoSelectFamilyAttemptTimeout: CONNECT_ATTEMPT_MS,
  });
}

/** Returns a lookup that knows only the checked addresses: a second DNS query could return others. */
function lookupOf(checked: readonly string[]): LookupFunction {
  const addresses = checked.map((address) => ({ address, family: isIP(address) }));
  return (_, { all }, callback) => {
    if (all) callback(null, addresses);
    else callback(null, addresses[0]!.address, addresses[0]!.family);
  };
}

function checkHead(status: number | undefined, headers: IncomingHttpHeaders): void {
  if (status !== 200) throw new ClientRefused(`The document's server must return status 200, not ${status}.`);
  if (!JSON_TYPE.test(headers['content-type'] ?? ''))
    throw new ClientRefused('The document must have the content type application/json.');
}

async function readBody(response: IncomingMessage): Promise<Buffer> {
  const chunks: Buffer[] = [];
  let size = 0;
  for await (const chunk of response as AsyncIterable<Buffer>) {
    size += chunk.length;
    if (size > MAX_BYTES) throw new ClientRefused(`The document must have ${MAX_BYTES} bytes at most.`);
    chunks.push(chunk);
  }
  return Buffer.concat(chunks);
}
