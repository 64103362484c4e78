import { newId } from '@agent-wallet/kernel';
import { AppError } from '@agent-wallet/kernel';
import type { FastifyAdapter as Adapter } from '@nestjs/platform-fastify';
import { FastifyAdapter } from '@nestjs/platform-fastify';
import type { FastifyInstance, FastifyReply, FastifyRequest } from './fastify-types.js';
import type { ServerResponse } from 'node:http';
import type { Socket } from 'node:net';
import { failureAnswer } from '../application/answers/failure.js';
import type { Admission } from './admission.js';
import { methodsOf } from './contract/routes.js';
import { envelope } from './envelope.js';
import { type ErrorSenders, sendError } from './error-filter.js';
import type { Readiness } from './readiness.js';
import { carryRequestContext } from './request-context.js';

/** Larger than any request of ours: 500 allowed recipients are 25 KB. */
export const BODY_LIMIT_BYTES = 64 * 1024;

/** How long a client may take to send its request. */
const REQUEST_TIMEOUT_MS = 10_000;

/** The HTTP server under Nest, set so that everything it answers by itself has our envelope, too. */
export function createFastify(trustedProxies: readonly string[], errors: ErrorSenders): Adapter {
  return new FastifyAdapter({
    bodyLimit: BODY_LIMIT_BYTES,
    requestTimeout: REQUEST_TIMEOUT_MS,
    connectionTimeout: 60_000,
    // Without a host header Node would answer by itself. It takes the longer of the two timeouts for a whole request.
    http: { requireHostHeader: false, headersTimeout: REQUEST_TIMEOUT_MS, connectionsCheckingInterval: 2_000 },
    genReqId: () => newId(),
    requestIdHeader: false,
    trustProxy: trustedProxies.length > 0 ? [...trustedProxies] : false,
    return503OnClosing: false, // what was accepted is finished
    routerOptions: { maxParamLength: 256 },
    frameworkErrors: (error: Error, request: FastifyRequest, reply: FastifyReply) =>
      sendError(badPath(error), request, reply, errors),
    clientErrorHandler: answerBadHttp,
  } as never);
}

/** A path that cannot be decoded is a wrong request; one that is too long names nothing that exists. */
function badPath(error: Error & { code?: string }): AppError {
  return error.code === 'FST_ERR_BAD_URL'
    ? new AppError('VALIDATION_ERROR', {
        cause: error,
        details: [{ field: 'path', reason: 'is not correctly percent-encoded' }],
      })
    : new AppError('NOT_FOUND', { cause: error });
}

/** Adds what every request goes through before its handler. */
export function prepareFastify(fastify: FastifyInstance, admission: Admission, readiness: Readiness): void {
  carryRequestContext(fastify);
  // Bodies stay bytes until the caller was admitted.
  fastify.removeAllContentTypeParsers();
  fastify.addContentTypeParser('*', { parseAs: 'buffer' }, (_request, body, done) => done(null, body));
  fastify.addHook('onRequest', async (request, reply) => {
    if (request.is404) await refuseUnknown(request, reply, admission);
  });
  fastify.addHook('onSend', async (_request, reply) => {
    if (readiness.stopping) reply.header('connection', 'close');
  });
  fastify.server.on('checkExpectation', (_request, response: ServerResponse) => {
    const body = badRequest('expect', 'is not supported');
    response.writeHead(400, {
      'content-type': 'application/json; charset=utf-8',
      'content-length': Buffer.byteLength(body),
      connection: 'close',
    });
    response.end(body);
  });
}

/** 404 or 405 for what no route answers. It is counted like everything else. */
async function refuseUnknown(request: FastifyRequest, reply: FastifyReply, admission: Admission): Promise<never> {
  await admission.admitClient(request, reply);
  const methods = methodsOf(request.url.split('?', 1)[0] as string);
  if (methods.length === 0) throw new AppError('NOT_FOUND', { message: 'There is no such route.' });
  reply.header('allow', methods.join(', '));
  throw new AppError('METHOD_NOT_ALLOWED');
}

/** Answers what is no HTTP request, on the bare socket. */
function answerBadHttp(error: NodeJS.ErrnoException, socket: Socket): void {
  if (error.code === 'ECONNRESET' || !socket.writable) {
    socket.destroy();
    return;
  }
  const reason =
    error.code === 'ERR_HTTP_REQUEST_TIMEOUT'
      ? 'did not arrive in time'
      : error.code === 'HPE_HEADER_OVERFLOW'
        ? 'has headers that are too large'
        : 'is not valid HTTP';
  const body = badRequest('request', reason);
  socket.end(
    'HTTP/1.1 400 Bad Request\r\nContent-Type: application/json; charset=utf-8\r\n' +
      `Content-Length: ${Buffer.byteLength(body)}\r\nConnection: close\r\n\r\n${body}`,
  );
}

function badRequest(field: string, reason: string): string {
  const { statusCode, message, dataJson } = failureAnswer(AppError.field(field, reason), newId());
  return envelope(statusCode, message, dataJson);
}
