import { AppError, newId, notFound } from '@agent-wallet/kernel';
import { FastifyAdapter, type FastifyAdapter as Adapter } from '@nestjs/platform-fastify';
import { maxHeaderSize, type RequestListener } from 'node:http';
import type { Admission } from './admission.js';
import type { ApiOrigins } from './api-origins.js';
import { methodsOf, nearestPath } from '../api/routes.js';
import { boundConnections } from './connections.js';
import type { FastifyInstance, FastifyReply, FastifyRequest } from './fastify-types.js';
import { answerBadHttp, createHttpServer, type HttpTimeouts, refusalOf, refuse } from './http-server.js';
import { BODY_LIMIT_BYTES } from './json-body.js';
import { isOwnersPath, type OwnerAdmission } from './owners/owner-admission.js';
import type { Readiness } from './readiness.js';
import { carryRequestContext } from './request-context.js';
import { SECURITY_HEADERS } from './security-headers.js';
import type { GatewaySettings } from '../settings.js';

/** The settings of the operator that bound what clients may do before their requests are read. */
type Bounds = Pick<GatewaySettings, 'trustedProxies' | 'connectionLimits'>;

/** Creates the HTTP server under Nest, set so that all of its own responses have our envelope, too. */
export function createFastify({ trustedProxies, connectionLimits }: Bounds, timeouts: HttpTimeouts): Adapter {
  return new FastifyAdapter({
    serverFactory: (handle: RequestListener) =>
      boundConnections(createHttpServer(handle, timeouts), connectionLimits, trustedProxies),
    clientErrorHandler: answerBadHttp,
    bodyLimit: BODY_LIMIT_BYTES,
    genReqId: () => newId(),
    requestIdHeader: false,
    trustProxy: trustedProxies.length > 0 ? [...trustedProxies] : false,
    return503OnClosing: false, // what was accepted is finished
    // No shorter than what Node lets through: whether an id is one is for its route to say.
    routerOptions: { maxParamLength: maxHeaderSize },
    frameworkErrors: refuseUnroutable,
  } as never);
}

/**
 * Refuses a request that the router cannot read. It has passed none of the hooks: it is routed once more, to a path
 * without a route.
 */
function refuseUnroutable(cause: Error, request: FastifyRequest, reply: FastifyReply): void {
  const reason = 'is not correctly percent-encoded';
  refuse(request.raw, AppError.fields([{ field: 'path', reason, problem: 'invalid_format' }], cause));
  request.server.routing(request.raw, reply.raw);
}

/** Admission of requests: of agents and of everyone, and of owners. */
interface Doors {
  readonly admission: Admission;
  readonly ownerAdmission: OwnerAdmission;
  readonly apiOrigins: ApiOrigins;
}

/** Adds what every request goes through before its handler. */
export function prepareFastify(fastify: FastifyInstance, doors: Doors, readiness: Readiness): void {
  const { admission, ownerAdmission, apiOrigins } = doors;
  carryRequestContext(fastify);
  fastify.addHook('onRequest', (_request, reply, done) => {
    reply.headers(SECURITY_HEADERS);
    done();
  });
  // Bodies stay bytes until the caller was admitted.
  fastify.removeAllContentTypeParsers();
  fastify.addContentTypeParser('*', { parseAs: 'buffer' }, (_request, body, done) => done(null, body));
  fastify.addHook('onRequest', async (request, reply) => {
    if (isOwnersPath(request.url)) ownerAdmission.allowConsole(request, reply);
    apiOrigins.allow(request, reply);
    if (!request.is404) return;
    await admission.admitClient(request, reply);
    const methods = methodsOf(pathOf(request.url));
    const page = isOwnersPath(request.url) ? ownerAdmission : apiOrigins;
    if (page.answerPreflight(request, reply, methods)) {
      await reply.code(204).send();
      return;
    }
    refuseUnknown(request, reply, methods);
  });
  fastify.addHook('onSend', async (request, reply) => {
    apiOrigins.vary(request, reply);
    if (readiness.stopping) reply.header('connection', 'close');
  });
}

const pathOf = (url: string): string => url.split('?', 1)[0]!;

/** Throws 404 or 405 for a path or method without a route. The request was counted like every other. */
function refuseUnknown(request: FastifyRequest, reply: FastifyReply, methods: readonly string[]): never {
  const error = refusalOf(request.raw) ?? unknown(request, methods);
  if (error.code === 'METHOD_NOT_ALLOWED') reply.header('allow', methods.join(', '));
  throw error;
}

function unknown({ method, url }: FastifyRequest, methods: readonly string[]): AppError {
  if (methods.length === 0) {
    const nearest = nearestPath(pathOf(url));
    return notFound('route', nearest === undefined ? 'See /openapi.json.' : `Did you mean ${nearest}?`);
  }
  const message = `${method} is not supported here. Use ${methods.filter((each) => each !== 'HEAD').join(' or ')}.`;
  return new AppError('METHOD_NOT_ALLOWED', { message, data: { allowed: methods } });
}
