import { inRequest } from '@agent-wallet/platform';
import { API_VERSION } from '../api/schemas/headers.js';
import type { FastifyInstance, FastifyRequest } from './fastify-types.js';

/**
 * The context that travels with a request to other services and into the log; the agent is filled in once it is known.
 */
interface MutableRequestContext {
  readonly requestId: string;
  agentId?: string | undefined;
  askedBy?: string | undefined;
  askedFrom?: string | undefined;
  loggedInAtMs?: number | undefined;
  tokenId?: string | undefined;
}

const contexts = new WeakMap<FastifyRequest, MutableRequestContext>();

/** Returns the context of a request, which is created at the first call. */
export function contextOf(request: FastifyRequest): MutableRequestContext {
  let context = contexts.get(request);
  if (!context) {
    context = { requestId: request.id };
    contexts.set(request, context);
  }
  return context;
}

/** Runs every handler inside its request's context, and sends every caller the request's id and the version of the API. */
export function carryRequestContext(fastify: FastifyInstance): void {
  fastify.addHook('onRequest', (request, reply, done) => {
    reply.headers({ 'x-request-id': request.id, 'api-version': API_VERSION });
    done();
  });
  // The last hook before the handler: what waits for the body does not keep an earlier context.
  fastify.addHook('preHandler', (request, _reply, done) => inRequest(contextOf(request), done));
}
