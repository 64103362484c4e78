import { AppError } from '@agent-wallet/kernel';
import type { McpHttpHandler } from '@modelcontextprotocol/server';
import { Readable } from 'node:stream';
import type { ReadableStream } from 'node:stream/web';
import type { AgentCaller } from '../../api/route.js';
import { mediaQualityOf } from '../../api/accept.js';
import { clientNetwork } from '../../domain/client-network.js';
import { type Admission, carryAgent } from '../admission.js';
import type { FastifyInstance, FastifyReply, FastifyRequest } from '../fastify-types.js';
import type { AdmittedRequest } from '../serves.js';
import { type JsonRpcRefusal, readMessage } from './read-message.js';
import { authInfoOf } from './wallet-server.js';

/** Path of the endpoint: Streamable HTTP of the revisions 2026-07-28 and 2025-11-25, without sessions. */
export const MCP_PATH = '/mcp';

/** Parts of the endpoint. */
interface McpEndpoint {
  readonly admission: Pick<Admission, 'admitBearer'>;
  readonly handler: Pick<McpHttpHandler, 'fetch'>;
  /** Reports whether pages of an origin may send requests. */
  readonly isAllowed: (origin: string) => boolean;
  /** Returns the URL of the protected resource metadata for a path; undefined where apps cannot get tokens. */
  readonly metadataUrl: (path: string) => string | undefined;
  /** Returns the scopes of which a message needs one, where the caller has none of them. */
  readonly missingScopes: (message: Readonly<Record<string, unknown>>, caller: AgentCaller) => readonly string[];
}

/** Headers of a message that the protocol reads. */
const READ = /^(accept|content-type|mcp-.+)$/;

/** Serves MCP. Its door is that of every other request: rate limits, then the token, then the body. */
export function serveMcp(fastify: FastifyInstance, endpoint: McpEndpoint): void {
  // People type the address with a slash, too. Clients send no body again after a redirect.
  for (const url of [MCP_PATH, `${MCP_PATH}/`]) serveAt(url, fastify, endpoint);
}

function serveAt(url: string, fastify: FastifyInstance, endpoint: McpEndpoint): void {
  const { admission, handler, isAllowed, metadataUrl, missingScopes } = endpoint;
  fastify.route({
    method: ['GET', 'POST', 'DELETE'],
    url,
    onRequest: async (request, reply) => {
      const bearer = await admission.admitBearer(request, reply, { admitsApps: true }).catch((error: unknown) => {
        challenge(reply, error, metadataUrl(url));
        throw error;
      });
      (request as AdmittedRequest).bearer = bearer;
      carryAgent(request, bearer);
      const { origin } = request.headers;
      if (origin !== undefined && !isAllowed(origin)) {
        await refuse(reply, 403, { code: -32_600, message: 'Pages of this origin may not use the wallet.' });
      }
    },
    handler: async (request: FastifyRequest, reply: FastifyReply) => {
      if (request.method === 'POST' && !accepts(request, JSON_TYPE)) return refuse(reply, 406, NOT_ACCEPTABLE);
      const read = request.method === 'POST' ? readMessage(request.body) : undefined;
      if (read && 'refusal' in read) return refuse(reply, 400, read.refusal);
      const { bearer } = request as AdmittedRequest;
      const missing = read && bearer!.clientId !== undefined ? missingScopes(read.message, bearer!) : [];
      if (missing.length > 0)
        return stepUp(reply, { missing, bearer: bearer!, metadataUrl: metadataUrl(url), id: read!.message['id'] });
      const closed = new AbortController();
      reply.raw.once('close', () => closed.abort());
      const response = await handler.fetch(webRequest(request, closed.signal), {
        authInfo: authInfoOf({ caller: bearer!, facts: factsOf(request, reply) }, read?.message),
        ...(read ? { parsedBody: read.message } : {}),
      });
      return send(reply, response);
    },
  });
}

/** Says to a caller without a good token where apps get one (RFC 9728, 5.1). */
function challenge(reply: FastifyReply, error: unknown, metadataUrl: string | undefined): void {
  if (!(error instanceof AppError) || error.code !== 'AUTHENTICATION_ERROR' || metadataUrl === undefined) return;
  const problem = error.data['reason'] === 'missing' ? '' : ', error="invalid_token"';
  reply.header('www-authenticate', `Bearer resource_metadata="${metadataUrl}"${problem}`);
}

/** A call of an app whose token lacks a scope. */
interface StepUp {
  readonly missing: readonly string[];
  readonly bearer: AgentCaller;
  readonly metadataUrl: string | undefined;
  /** Id of the JSON-RPC request. */
  readonly id: unknown;
}

/** Sends an app to its owner for more scopes: those that it has, and those that the call needs (RFC 6750, 3.1). */
function stepUp(reply: FastifyReply, { missing, bearer, metadataUrl, id }: StepUp): FastifyReply {
  const scope = [...(bearer.token?.scopes ?? []), ...missing].join(' ');
  const where = metadataUrl === undefined ? '' : `, resource_metadata="${metadataUrl}"`;
  reply.header('www-authenticate', `Bearer error="insufficient_scope", scope="${scope}"${where}`);
  return refuse(reply, 403, { code: -32_600, message: `The token needs the scope ${missing.join(' or ')}.` }, id);
}

function factsOf(request: FastifyRequest, reply: FastifyReply) {
  return {
    requestId: request.id,
    client: clientNetwork(request.ip),
    elapsedMs: reply.elapsedTime,
    headers: {},
  };
}

const [JSON_TYPE, STREAM_TYPE] = ['application/json', 'text/event-stream'] as const;

/** Refusal of a request whose response, which may be an error, the caller could not read. */
const NOT_ACCEPTABLE = {
  code: -32_000,
  message: `Accept excludes ${JSON_TYPE}. Send \`Accept: ${JSON_TYPE}, ${STREAM_TYPE}\`.`,
};

function accepts({ headers }: FastifyRequest, type: string): boolean {
  return mediaQualityOf(type, headers.accept) > 0;
}

/**
 * Returns a request as the library reads it, without the token. The library looks for names of types in the text of
 * `Accept`: it gets the names of those that the header accepts.
 */
function webRequest(request: FastifyRequest, signal: AbortSignal): Request {
  const { method } = request;
  const accept = [JSON_TYPE, STREAM_TYPE].filter((type) => accepts(request, type)).join(', ');
  const kept = Object.entries({ ...request.headers, accept }).flatMap(([name, value]) =>
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

function refuse(reply: FastifyReply, status: number, error: JsonRpcRefusal, id: unknown = null): FastifyReply {
  const isId = typeof id === 'string' || typeof id === 'number';
  const body = JSON.stringify({ jsonrpc: '2.0', id: isId ? id : null, error });
  return reply.code(status).header('content-type', 'application/json').send(body);
}
