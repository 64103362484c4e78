import type { McpHttpHandler } from '@modelcontextprotocol/server';
import { Readable } from 'node:stream';
import type { ReadableStream } from 'node:stream/web';
import { clientNetwork, sessionNetwork } from '../../domain/client-network.js';
import type { Admission } from '../admission.js';
import type { FastifyInstance, FastifyReply, FastifyRequest } from '../fastify-types.js';
import { contextOf } from '../request-context.js';
import type { AdmittedRequest } from '../serves.js';
import { type JsonRpcRefusal, readMessage } from './read-message.js';
import { authInfoOf } from './wallet-server.js';

/** Path of the endpoint: Streamable HTTP of the revisions 2026-07-28 and 2025-11-25, without sessions. */
export const MCP_PATH = '/mcp';

/** Parts of the endpoint. */
export interface McpEndpoint {
  readonly admission: Pick<Admission, 'admitBearer'>;
  readonly handler: Pick<McpHttpHandler, 'fetch'>;
  /** Reports whether pages of an origin may send requests. */
  readonly isAllowed: (origin: string) => boolean;
}

/** Headers of a message that the protocol reads. */
const READ = /^(accept|content-type|mcp-.+)$/;

/** Serves MCP. Its door is that of every other request: rate limits, then the token, then the body. */
export function serveMcp(fastify: FastifyInstance, { admission, handler, isAllowed }: McpEndpoint): void {
  fastify.route({
    method: ['GET', 'POST', 'DELETE'],
    url: MCP_PATH,
    onRequest: async (request, reply) => {
      const bearer = await admission.admitBearer(request, reply, {});
      (request as AdmittedRequest).bearer = bearer;
      Object.assign(contextOf(request), {
        askedFrom: sessionNetwork(clientNetwork(request.ip)),
        agentId: bearer.agentId,
        askedBy: 'agent',
        loggedInAtMs: bearer.authenticatedAtMs,
        tokenId: bearer.token?.id,
      });
      const { origin } = request.headers;
      if (origin !== undefined && !isAllowed(origin)) {
        await refuse(reply, 403, { code: -32_600, message: 'Pages of this origin may not use the wallet.' });
      }
    },
    handler: async (request: FastifyRequest, reply: FastifyReply) => {
      const read = request.method === 'POST' ? readMessage(request.body) : undefined;
      if (read && 'refusal' in read) return refuse(reply, 400, read.refusal);
      const closed = new AbortController();
      reply.raw.once('close', () => closed.abort());
      const response = await handler.fetch(webRequest(request, closed.signal), {
        authInfo: authInfoOf({ caller: (request as AdmittedRequest).bearer!, facts: factsOf(request, reply) }),
        ...(read ? { parsedBody: read.message } : {}),
      });
      return send(reply, response);
    },
  });
}

function factsOf(request: FastifyRequest, reply: FastifyReply) {
  return {
    requestId: request.id,
    client: clientNetwork(request.ip),
    elapsedMs: reply.elapsedTime,
    headers: {},
  };
}

/** Returns a request as the library reads it, without the token. */
function webRequest({ method, headers }: FastifyRequest, signal: AbortSignal): Request {
  const kept = Object.entries(headers).flatMap(([name, value]) =>
    READ.test(name) && value !== undefined ? [[name, String(value)] as [string, string]] : [],
  );
  return new Request(`http://localhost${MCP_PATH}`, { method, headers: kept, signal });
}

/** Sends the response: at once, or as a stream that proxies pass on event by event. */
async function send(reply: FastifyReply, response: Response): Promise<FastifyReply> {
  reply.code(response.status).headers(Object.fromEntries(response.headers));
  if (response.status === 405) reply.header('allow', 'POST');
  if (!response.headers.get('content-type')?.startsWith('text/event-stream')) {
    return reply.send(Buffer.from(await response.arrayBuffer()));
  }
  reply.headers({ 'x-accel-buffering': 'no', 'cache-control': 'no-store' });
  return reply.send(Readable.fromWeb(response.body as ReadableStream));
}

function refuse(reply: FastifyReply, status: number, error: JsonRpcRefusal): FastifyReply {
  const body = JSON.stringify({ jsonrpc: '2.0', id: null, error });
  return reply.code(status).header('content-type', 'application/json').send(body);
}
