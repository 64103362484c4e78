import { once } from '@agent-wallet/kernel';
import { type Logger, serviceOf } from '@agent-wallet/platform';
import { ATTRIBUTES, isMetering, METRICS, type OpenSpan, startSpan, took } from '@agent-wallet/telemetry';
import { healthRoute, readyRoute } from '../api/service-routes.js';
import type { FastifyInstance, FastifyReply, FastifyRequest } from './fastify-types.js';
import { contextOf } from './request-context.js';

/** Paths that probes request again and again: counted, but not traced. */
const UNTRACED: ReadonlySet<string> = new Set([healthRoute.path, readyRoute.path]);

const METHODS: ReadonlySet<string> = new Set(['GET', 'HEAD', 'POST', 'PATCH', 'PUT', 'DELETE', 'OPTIONS']);

const ends = new WeakMap<FastifyRequest, () => void>();
const spans = new WeakMap<FastifyRequest, OpenSpan>();

/**
 * Measures every request, from its headers to the end of its answer. A caller's `traceparent` is only linked: strangers
 * do not decide which traces we keep.
 */
export function measureRequests(fastify: FastifyInstance, logger: Logger): void {
  if (!isMetering()) return;
  const service = serviceOf(logger);
  fastify.addHook('onRequest', (request, reply, done) => {
    const startedAtMs = performance.now();
    const method = METHODS.has(request.method) ? request.method : '_OTHER';
    const route = routeOf(request);
    const attributes = { [ATTRIBUTES.method.name]: method, [ATTRIBUTES.route.name]: route };
    const span = UNTRACED.has(route) ? undefined : spanOf(request, { name: `${method} ${route}`, service, attributes });
    if (span) spans.set(request, span);
    const ended = once(() => {
      const { statusCode } = reply;
      span?.end(outcomeOf(request, reply));
      const labels = { ...attributes, [ATTRIBUTES.statusCode.name]: statusCode };
      took(METRICS.httpServerDuration, { service, startedAtMs, attributes: labels });
    });
    // A client that hangs up is counted, too.
    reply.raw.once('close', ended);
    ends.set(request, ended);
    done();
  });
  // A stream goes on for as long as its client listens: it is measured until it begins.
  fastify.addHook('onSend', async (request, reply) => {
    if (String(reply.getHeader('content-type')).startsWith('text/event-stream')) ends.get(request)?.();
  });
  fastify.addHook('preHandler', (request, _reply, done) => inSpanOf(request, done));
}

/** Goes on as part of the request's span. */
function inSpanOf(request: FastifyRequest, goOn: () => void): void {
  const span = spans.get(request);
  if (span) span.run(goOn);
  else goOn();
}

/** Returns the template of a route. It is never the path itself, which holds IDs and text of strangers. */
function routeOf(request: FastifyRequest): string {
  const template = request.is404 ? undefined : request.routeOptions.url;
  return template?.replaceAll(/:(\w+)/g, '{$1}') ?? 'unmatched';
}

function spanOf(
  request: FastifyRequest,
  start: { readonly name: string; readonly service: string | undefined; readonly attributes: Record<string, string> },
): OpenSpan {
  const given = request.headers['traceparent'];
  return startSpan({
    ...start,
    kind: 'server',
    parent: '',
    links: typeof given === 'string' ? [given] : [],
    attributes: { ...start.attributes, [ATTRIBUTES.requestId.name]: request.id },
  });
}

function outcomeOf(request: FastifyRequest, reply: FastifyReply) {
  const { agentId } = contextOf(request);
  const attributes = { [ATTRIBUTES.statusCode.name]: reply.statusCode, [ATTRIBUTES.agentId.name]: agentId };
  if (reply.raw.destroyed && !reply.raw.writableFinished) return { attributes, errorType: 'client_gone' };
  return reply.statusCode >= 500 ? { attributes, errorType: String(reply.statusCode) } : { attributes };
}
