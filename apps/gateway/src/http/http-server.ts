import { AppError, newId, sleep, systemClock } from '@agent-wallet/kernel';
import {
  createServer,
  type IncomingMessage,
  type RequestListener,
  type Server,
  ServerResponse,
  STATUS_CODES,
} from 'node:http';
import type { Socket } from 'node:net';
import { API_VERSION } from '../api/schemas/headers.js';
import { failureResponse } from '../application/responses/failure.js';
import { envelope } from './envelope.js';
import { BARE_SECURITY_HEADERS } from './security-headers.js';

/** Time limits of a client's connection. */
export interface HttpTimeouts {
  /** Time allowed to receive a whole request, in milliseconds. */
  readonly requestMs: number;
  /** Without a byte in either direction while a request is under way: longer than any answer takes. */
  readonly silenceMs: number;
  /** Between two requests: longer than the 60 s for which proxies keep their connections. */
  readonly idleMs: number;
}

export const HTTP_TIMEOUTS: HttpTimeouts = { requestMs: 10_000, silenceMs: 60_000, idleMs: 72_000 };

/** A path, or one after `http://host`. Other targets are routed as if their first character were a slash. */
const TARGET = /^(?:\/|https?:\/\/)/i;

/**
 * Creates Node's HTTP server, set so that every request reaches the handler. That includes those to which Node would
 * respond by itself or hang up. `Upgrade` is ignored, as the standard allows.
 */
export function createHttpServer(handle: RequestListener, { requestMs, silenceMs, idleMs }: HttpTimeouts): Server {
  const silent = new Set<Socket>();
  const accept: RequestListener = (request, response) => {
    newestResponse.set(request.socket, response);
    silent.delete(request.socket);
    if (!TARGET.test(request.url ?? '')) refuse(request, AppError.field('path', 'must begin with a slash'));
    handle(request, response);
  };
  const options = {
    requireHostHeader: false,
    headersTimeout: requestMs,
    requestTimeout: requestMs,
    connectionsCheckingInterval: requestMs / 5,
    keepAliveTimeout: idleMs,
  };
  const server = createServer(options, accept);
  silentSockets.set(server, silent);
  server.on('connection', (socket: Socket) => {
    silent.add(socket);
    socket.once('close', () => silent.delete(socket));
  });
  // Ends without an answer: what it meets is a client that does not read the one it has.
  server.setTimeout(silenceMs);
  server.on('checkExpectation', (request, response: ServerResponse) => {
    response.setHeader('connection', 'close');
    refuse(request, AppError.field('expect', 'is not supported'));
    accept(request, response);
  });
  server.on('connect', (request, socket: Socket) => {
    socket.on('error', () => socket.destroy()); // Node has let go of this socket
    const response = new ServerResponse(request);
    response.assignSocket(socket);
    response.setHeader('connection', 'close');
    response.on('finish', () => socket.destroySoon());
    refuse(request, new AppError('METHOD_NOT_ALLOWED', { data: { allowed: [] } }));
    handle(request, response);
  });
  return server;
}

/** Connections of a server on which no request has come yet. */
const silentSockets = new WeakMap<Server, Set<Socket>>();

/** Closes the connections that have sent nothing: a server that stops listening waits for them, and Node no longer times them. */
export function closeSilent(server: Server): void {
  for (const socket of silentSockets.get(server) ?? []) if (socket.bytesRead === 0) socket.destroy();
}

/** The response to what was received last on a connection. */
const newestResponse = new WeakMap<Socket, ServerResponse>();

/** Responds to an invalid or incomplete HTTP request on the raw socket. */
export function answerBadHttp(error: NodeJS.ErrnoException, socket: Socket): void {
  if (error.code === 'ECONNRESET' || !socket.writable || !awaitsAnswer(socket)) {
    socket.destroy();
    return;
  }
  answerRaw(socket, AppError.field('request', REASONS[error.code ?? ''] ?? 'is not valid HTTP'));
}

/** Responds on the raw socket, and closes it. */
export function answerRaw(socket: Socket, error: AppError): void {
  const requestId = newId();
  const response = failureResponse(error, { requestId, nowMs: systemClock.nowMs() });
  const body = envelope(response);
  const headers = {
    ...BARE_SECURITY_HEADERS,
    'content-type': 'application/json; charset=utf-8',
    'content-length': Buffer.byteLength(body),
    'x-request-id': requestId,
    'api-version': API_VERSION,
    connection: 'close',
  };
  const lines = Object.entries(headers).map(([name, value]) => `${name}: ${value}\r\n`);
  const { statusCode } = response;
  socket.write(`HTTP/1.1 ${statusCode} ${STATUS_CODES[statusCode]}\r\n${lines.join('')}\r\n${body}`);
  socket.destroySoon(); // also when the client leaves its own side open
}

const REASONS: Readonly<Record<string, string>> = {
  ERR_HTTP_REQUEST_TIMEOUT: 'did not arrive in time',
  HPE_HEADER_OVERFLOW: 'has headers that are too large',
};

/**
 * Reports whether the client would take a response for one to the request that it is sending. During an earlier request
 * of the connection it would take it for that one's, which may be moving money. A request with a response before all of
 * its body came has its response. Browsers connect before they have a request: one that is on its way now would get the
 * answer, while they send it again on another connection where this one closes without.
 */
function awaitsAnswer(socket: Socket): boolean {
  const response = newestResponse.get(socket);
  if (!response) return socket.bytesRead > 0;
  const isNextInLine = response.socket !== null;
  return response.req.complete ? response.writableFinished : isNextInLine && !response.headersSent;
}

/** Path to which refused requests are routed. No route has this path. */
const REFUSED_PATH = '/.refused';

const refusals = new WeakMap<IncomingMessage, AppError>();

/**
 * Rejects a request with this error, whichever route its path names. The handler of unknown paths answers it, so it is
 * counted and gets the same headers as other responses.
 */
export function refuse(request: IncomingMessage, error: AppError): void {
  refusals.set(request, error);
  request.url = REFUSED_PATH;
}

/** Returns the error with which a request was refused before it was routed. */
export function refusalOf(request: IncomingMessage): AppError | undefined {
  return refusals.get(request);
}

const POLL_EVERY_MS = 50;

/**
 * Waits until no client has a connection any more, or the time is over. While the gateway is stopping every answer says
 * that its connection ends, so that clients in the middle of their work leave by themselves; an idle connection that is
 * cut may be the one on which a request is arriving, which is lost then.
 */
export async function drain(server: Server, withinMs: number): Promise<void> {
  const untilMs = performance.now() + withinMs;
  while (performance.now() < untilMs && (await connectionsOf(server)) > 0) await sleep(POLL_EVERY_MS);
}

function connectionsOf(server: Server): Promise<number> {
  return new Promise((resolve) => server.getConnections((error, count) => resolve(error ? 0 : count)));
}
