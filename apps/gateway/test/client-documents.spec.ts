import { createCertificates } from '@agent-wallet/embedded';
import { eventually } from '@agent-wallet/testing';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import { readFileSync } from 'node:fs';
import { mkdtemp, rm } from 'node:fs/promises';
import type { IncomingMessage, ServerResponse } from 'node:http';
import { createServer, type Server } from 'node:https';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { FetchedClientDocuments } from '../src/adapters/client-documents/fetched-client-documents.js';
import type { Network } from '../src/adapters/client-documents/network.js';
import { ClientRefused } from '../src/ports/client-documents.js';

const HOST = 'clients.example.com';
const ID = `https://${HOST}/editor.json`;
const PUBLIC = '93.184.216.34';

/** The network of a browser. */
const NETWORK = '203.0.113.7';
const DOCUMENT = {
  client_id: ID,
  client_name: 'Example Editor',
  client_uri: 'https://example.com/',
  redirect_uris: ['http://127.0.0.1:3000/callback', 'cursor://example.editor/oauth'],
  token_endpoint_auth_method: 'none',
};

const JSON_HEADERS = { 'content-type': 'application/json' };

type Respond = (response: ServerResponse, request: IncomingMessage) => void;

let directory: string;
let ca: string;
let server: Server;
let port: number;
let nowMs: number;
/** Requests that reached the server. */
let requests: IncomingMessage[];
/** Checked addresses that were connected to. */
let routed: string[];
let respond: Respond;

const sendJson =
  (body: unknown, headers: Record<string, string> = {}): Respond =>
  (response) =>
    response.writeHead(200, { 'content-type': 'application/json', ...headers }).end(JSON.stringify(body));

/** Returns documents of a network in which every name resolves to the addresses, and every address is the server. */
function documentsAt(addresses: readonly string[] = [PUBLIC], changes: Partial<Network> = {}) {
  const network: Network = {
    lookup: async () => addresses,
    route: (checked) => {
      routed.push(checked);
      return '127.0.0.1';
    },
    port,
    ca,
    withinMs: 20_000,
    ...changes,
  };
  return new FetchedClientDocuments({ nowMs: () => nowMs }, network);
}

async function refusal(reading: Promise<unknown>): Promise<string> {
  const error: unknown = await reading.then(
    () => undefined,
    (reason: unknown) => reason,
  );
  expect(error).toBeInstanceOf(ClientRefused);
  return (error as Error).message;
}

beforeAll(async () => {
  directory = await mkdtemp(path.join(tmpdir(), 'client-documents-'));
  const { [HOST]: certificate } = await createCertificates(directory, [HOST]);
  ca = readFileSync(certificate.caPath, 'utf8');
  const identity = {
    cert: readFileSync(certificate.server.certPath),
    key: readFileSync(certificate.server.keyPath),
  };
  server = createServer(identity, (request, response) => {
    requests.push(request);
    respond(response, request);
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  ({ port } = server.address() as AddressInfo);
});

afterAll(async () => {
  server.closeAllConnections();
  await new Promise((resolve) => server.close(resolve));
  await rm(directory, { recursive: true });
});

beforeEach(() => {
  nowMs = 1_800_000_000_000;
  requests = [];
  routed = [];
  respond = sendJson(DOCUMENT);
});

describe('a good document', () => {
  it('describes its client', async () => {
    expect(await documentsAt().read(ID, NETWORK)).toEqual({
      id: ID,
      name: 'Example Editor',
      uri: 'https://example.com/',
      redirectUris: DOCUMENT.redirect_uris,
      isRegistered: false,
    });
  });

  it('is requested as JSON, with no credentials and no cookies', async () => {
    await documentsAt().read(ID, NETWORK);
    expect(requests).toHaveLength(1);
    expect(requests[0]).toMatchObject({ method: 'GET', url: '/editor.json' });
    expect(requests[0]!.headers).toEqual({
      host: HOST,
      accept: 'application/json',
      'accept-encoding': 'identity',
      'user-agent': 'agent-wallet',
      connection: 'close',
    });
  });

  it.each(['application/json; charset=utf-8', 'application/vnd.client+json', 'Application/JSON'])(
    'may have the content type %s',
    async (type) => {
      respond = sendJson(DOCUMENT, { 'content-type': type });
      expect(await documentsAt().read(ID, NETWORK)).toMatchObject({ id: ID });
    },
  );

  it('may have exactly 5 KB', async () => {
    const rest = 5 * 1_024 - JSON.stringify({ ...DOCUMENT, pad: '' }).length;
    respond = sendJson({ ...DOCUMENT, pad: 'x'.repeat(rest) });
    expect(await documentsAt().read(ID, NETWORK)).toMatchObject({ id: ID });
  });
});

describe('a document', () => {
  it.each([
    ['is not JSON', '{', 'JSON in UTF-8'],
    ['is empty', '', 'JSON in UTF-8'],
    ['is not UTF-8', Buffer.from('{"client_name":"\xe9"}', 'latin1'), 'JSON in UTF-8'],
    ['has 6 KB', JSON.stringify({ ...DOCUMENT, pad: 'x'.repeat(6 * 1_024) }), '5120 bytes'],
  ])('that %s is refused', async (_, body, reason) => {
    respond = (response) => response.writeHead(200, { 'content-type': 'application/json' }).end(body);
    expect(await refusal(documentsAt().read(ID, NETWORK))).toContain(reason);
  });

  it.each([201, 204, 206, 301, 304, 401, 404, 500])('with status %i is refused', async (status) => {
    respond = (response) => response.writeHead(status, { 'content-type': 'application/json' }).end();
    expect(await refusal(documentsAt().read(ID, NETWORK))).toContain(`not ${status}`);
  });

  it.each(['text/html', 'text/json', 'application/jsonp', 'application/xml; a=application/json', ''])(
    'with the content type "%s" is refused',
    async (type) => {
      respond = sendJson(DOCUMENT, { 'content-type': type });
      expect(await refusal(documentsAt().read(ID, NETWORK))).toContain('content type');
    },
  );
});

describe('a connection', () => {
  it.each([
    ['a private address', ['10.0.0.1']],
    ['a public and a private address', [PUBLIC, '169.254.169.254']],
    ['a public IPv4 and a private IPv6 address', [PUBLIC, 'fd00::1']],
    ['a mapped loopback address', ['::ffff:127.0.0.1']],
    ['no address', []],
  ])('is not opened to a host with %s', async (_, addresses) => {
    expect(await refusal(documentsAt(addresses).read(ID, NETWORK))).toContain('public addresses only');
    expect([routed, requests]).toEqual([[], []]);
  });

  it('is refused to unknown hosts with the words for private ones', async () => {
    const unknown = documentsAt([], { lookup: () => Promise.reject(new Error('ENOTFOUND')) });
    expect(await refusal(unknown.read(ID, NETWORK))).toBe(await refusal(documentsAt(['10.0.0.1']).read(ID, NETWORK)));
  });

  it('goes to the checked address when the DNS changes its answer', async () => {
    const answers = [[PUBLIC], ['127.0.0.1']];
    const lookup = async () => answers.shift() ?? [];
    await documentsAt([], { lookup }).read(ID, NETWORK);
    expect(routed).toEqual([PUBLIC]);
    expect(answers).toEqual([['127.0.0.1']]);
  });

  it('tries one address of each family', async () => {
    await documentsAt([PUBLIC, '93.184.216.35', '2606:4700::1', '2606:4700::2']).read(ID, NETWORK);
    expect(routed).toEqual([PUBLIC, '2606:4700::1']);
    expect(requests).toHaveLength(1);
  });

  it('tries the second family when the first does not accept', async () => {
    const route = (checked: string) => (checked === PUBLIC ? '127.0.0.1' : '::1');
    const documents = documentsAt(['2606:4700::1', PUBLIC], { route });
    expect(await documents.read(ID, NETWORK)).toMatchObject({ id: ID });
  });

  it('does not follow a redirect', async () => {
    respond = (response, { url }) =>
      url === '/editor.json'
        ? response.writeHead(302, { location: `https://${HOST}/inside` }).end('moved')
        : sendJson(DOCUMENT)(response, requests[0]!);
    expect(await refusal(documentsAt().read(ID, NETWORK))).toContain('not 302');
    expect(requests.map(({ url }) => url)).toEqual(['/editor.json']);
  });

  it('needs a certificate of the host', async () => {
    respond = sendJson({ ...DOCUMENT, client_id: 'https://other.example.com/editor.json' });
    const message = await refusal(documentsAt().read('https://other.example.com/editor.json', NETWORK));
    expect(message).toContain('did not return the document over HTTPS');
    expect(requests).toHaveLength(0);
  });

  it('needs a certificate of a known authority', async () => {
    expect(await refusal(documentsAt([PUBLIC], { ca: undefined }).read(ID, NETWORK))).toContain('over HTTPS');
    expect(requests).toHaveLength(0);
  });

  it.each<[string, Respond]>([
    ['is closed without a response', (response) => response.destroy()],
    [
      'is closed within the body',
      (response) => response.writeHead(200, JSON_HEADERS).write('{', () => response.destroy()),
    ],
    ['changes the protocol', (response) => response.writeHead(101, { connection: 'upgrade', upgrade: 'x' }).end()],
  ])('that %s is a refusal', async (_, broken) => {
    respond = broken;
    expect(await refusal(documentsAt().read(ID, NETWORK))).toContain('did not return the document');
  });

  it.each<[string, Respond]>([
    ['of a silent server', () => undefined],
    ['of a body that does not end', (response) => response.writeHead(200, JSON_HEADERS).write('{')],
  ])('%s is closed when the time is over', async (_, slow) => {
    const closed = new Promise((resolve) => {
      respond = (response, request) => {
        response.once('close', resolve);
        slow(response, request);
      };
    });
    expect(await refusal(documentsAt([PUBLIC], { withinMs: 1_000 }).read(ID, NETWORK))).toContain('within 1000 ms');
    await closed;
  });

  it('is closed at the limit of a body without end', async () => {
    const closed = new Promise((resolve) => {
      respond = (response) => {
        response.once('close', resolve);
        response.writeHead(200, JSON_HEADERS);
        const more = () => response.write(' '.repeat(1_024), (error) => error ?? setImmediate(more));
        more();
      };
    });
    expect(await refusal(documentsAt().read(ID, NETWORK))).toContain('5120 bytes');
    await closed;
  });
});

describe('a client', () => {
  it.each([
    ['without Cache-Control', {}, 300],
    ['with a max-age', { 'cache-control': 'public, max-age=600' }, 600],
    ['with a short max-age', { 'cache-control': 'max-age=0' }, 30],
    ['with a long max-age', { 'cache-control': 'max-age=99999999999' }, 86_400],
    ['with no-store', { 'cache-control': 'no-store, max-age=600' }, 30],
    ['with the s-maxage of shared caches alone', { 'cache-control': 's-maxage=600' }, 300],
  ])('%s is fetched again after its time', async (_, headers, seconds) => {
    respond = sendJson(DOCUMENT, headers);
    const documents = documentsAt();
    await documents.read(ID, NETWORK);
    nowMs += seconds * 1_000 - 1;
    await documents.read(ID, NETWORK);
    expect(requests).toHaveLength(1);
    nowMs += 1;
    respond = sendJson({ ...DOCUMENT, client_name: 'Renamed' });
    expect(await documents.read(ID, NETWORK)).toMatchObject({ name: 'Renamed' });
    expect(requests).toHaveLength(2);
  });

  it('that was refused is not fetched for 30 seconds', async () => {
    respond = sendJson({});
    const documents = documentsAt();
    const reason = await refusal(documents.read(ID, NETWORK));
    respond = sendJson(DOCUMENT);
    nowMs += 29_999;
    expect(await refusal(documents.read(ID, NETWORK))).toBe(reason);
    expect(requests).toHaveLength(1);
    nowMs += 1;
    expect(await documents.read(ID, NETWORK)).toMatchObject({ id: ID });
  });

  it('is fetched once for requests at the same time', async () => {
    const documents = documentsAt();
    const clients = await Promise.all(Array.from({ length: 50 }, () => documents.read(ID, NETWORK)));
    expect(new Set(clients).size).toBe(1);
    expect(requests).toHaveLength(1);
  });

  it('stays known while many others are refused', async () => {
    const lookup = async (host: string) => (host === HOST ? [PUBLIC] : []);
    const documents = documentsAt([], { lookup });
    await documents.read(ID, NETWORK);
    for (let i = 0; i < 1_001; i += 1) await refusal(documents.read(`https://a${i}.example.com/x`, NETWORK));
    await documents.read(ID, NETWORK);
    expect(requests).toHaveLength(1);
  });
});

describe('fetches', () => {
  const idOf = (i: number) => `${ID}?${i}`;

  it('of 74 networks that take all they get leave one for another network, and none after that', async () => {
    const held: (() => void)[] = [];
    respond = (response, request) =>
      held.push(() => sendJson({ ...DOCUMENT, client_id: `https://${HOST}${request.url}` })(response, request));
    const documents = documentsAt();
    const networks = Array.from({ length: 74 }, (_, i) => `network ${i}`);
    const started = networks.flatMap((network, i) => [i, 100 + i].map((id) => documents.read(idOf(id), network)));
    const outcomes = Promise.all(started.map((each) => each.catch((error: Error) => error.message)));
    const last = documents.read(idOf(300), NETWORK);
    expect(await refusal(documents.read(idOf(301), 'one more'))).toContain('busy');
    await eventually(() => held.length === 100);
    held.forEach((send) => send());
    expect(await last).toMatchObject({ id: idOf(300) });
    const refused = (await outcomes).filter((each) => typeof each === 'string');
    // 25 networks have two fetches, and 49 have one.
    expect(refused).toHaveLength(49);
    expect(new Set(refused)).toEqual(new Set([expect.stringContaining('busy')]));
    respond = sendJson({ ...DOCUMENT, client_id: idOf(301) });
    expect(await documents.read(idOf(301), 'one more')).toMatchObject({ id: idOf(301) });
  });

  it('of one network are two at once: the rest is left for others', async () => {
    respond = () => undefined;
    const documents = documentsAt([PUBLIC], { withinMs: 1_000 });
    const slow = [0, 1].map((i) => refusal(documents.read(idOf(i), NETWORK)));
    expect(await refusal(documents.read(idOf(2), NETWORK))).toContain('from this network');
    respond = sendJson({ ...DOCUMENT, client_id: idOf(2) });
    expect(await documents.read(idOf(2), 'another')).toMatchObject({ id: idOf(2) });
    expect(await documents.read(idOf(2), NETWORK)).toMatchObject({ id: idOf(2) });
    await Promise.all(slow);
  });
});
