import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import { BodyTooLarge, readBody } from '../../http/read-body.js';
import { ReplyLost } from '../../http/reply-lost.js';
import { HttpRefusal } from './reply-faults.js';
import type { RpcService } from './rpc-service.js';

const BODY_LIMIT_BYTES = 1 << 20;
const KEEP_ALIVE_MS = 60_000;

/** Any page may ask, as on a real node: an explorer in a browser reads the chain from here. */
const CROSS_ORIGIN = {
  'access-control-allow-origin': '*',
  'access-control-allow-methods': 'GET, POST',
  'access-control-allow-headers': '*',
  'access-control-allow-private-network': 'true',
};

/** The node's HTTP door: POST is JSON-RPC, GET /health says "ok". */
export function createRpcServer(rpc: RpcService): Server {
  const server = createServer((request, response) => {
    void handle(rpc, request, response);
  });
  server.keepAliveTimeout = KEEP_ALIVE_MS;
  return server;
}

async function handle(rpc: RpcService, request: IncomingMessage, response: ServerResponse): Promise<void> {
  try {
    if (request.method === 'GET' && request.url === '/health') return reply(response, 200, 'ok', 'text/plain');
    if (request.method === 'OPTIONS') return reply(response, 200, '', 'text/plain');
    if (request.method !== 'POST')
      return reply(response, 405, 'Used HTTP Method is not allowed. POST is required\n', 'text/plain');
    reply(response, 200, await rpc.answer(await readBody(request, BODY_LIMIT_BYTES)));
  } catch (error) {
    if (error instanceof ReplyLost) response.destroy();
    else if (error instanceof HttpRefusal) replyError(response, error.status, error.message);
    else if (error instanceof BodyTooLarge) replyError(response, 413, error.message);
    else replyError(response, 500, 'Internal error');
  }
}

function replyError(response: ServerResponse, status: number, message: string): void {
  reply(response, status, JSON.stringify({ jsonrpc: '2.0', error: { code: status, message }, id: null }));
}

function reply(response: ServerResponse, status: number, body: string, type = 'application/json'): void {
  response.writeHead(status, {
    ...CROSS_ORIGIN,
    'content-type': type,
    'content-length': Buffer.byteLength(body),
  });
  response.end(body);
}
