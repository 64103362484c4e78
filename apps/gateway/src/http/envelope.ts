import type { Clock } from '@agent-wallet/kernel';
import type { CallHandler, ExecutionContext, NestInterceptor } from '@nestjs/common';
import type { Readable } from 'node:stream';
import { map, type Observable } from 'rxjs';
import { type Handled, type HandlerResponse, EventStreamResponse, PlainResponse } from '../api/response.js';
import { writeJson } from '../application/responses/exact-json.js';
import type { ApiResponse } from '../ports/idempotency-store.js';
import type { FastifyReply } from './fastify-types.js';
import { contractOf } from './serves.js';

/** Statuses that come with `Retry-After`. */
const WITH_RETRY_AFTER: ReadonlySet<number> = new Set([409, 429, 503]);

/** Puts what a handler returns into its form: the envelope, or the plain document. */
export class EnvelopeInterceptor implements NestInterceptor {
  constructor(private readonly clock: Clock) {}

  intercept(
    context: ExecutionContext,
    next: CallHandler<Handled | string>,
  ): Observable<string | Buffer | Readable | undefined> {
    const { plain, download } = contractOf(context);
    const reply = context.switchToHttp().getResponse<FastifyReply>();
    return next.handle().pipe(
      map((response) => {
        if (response instanceof EventStreamResponse) return streamed(reply, response);
        if (response instanceof PlainResponse) return plainly(reply, response, plain ?? download);
        if (typeof response !== 'string') {
          return enveloped(reply, 'data' in response ? written(response) : response, this.clock.nowMs());
        }
        reply.code(200).header('content-type', `${plain}; charset=utf-8`);
        return response;
      }),
    );
  }
}

/** Sets a reply's status and headers. Returns its body: none of a redirection or of a document that has not changed. */
function plainly(reply: FastifyReply, { statusCode, headers, body }: PlainResponse, type?: string): Buffer | undefined {
  reply.code(statusCode).headers(headers);
  if (body) reply.header('content-type', `${type}; charset=utf-8`);
  return body;
}

/** Sets a reply's headers: proxies pass on each event at once, and the connection serves no other request after it. */
function streamed(reply: FastifyReply, { body }: EventStreamResponse): Readable {
  reply.code(200).headers({
    'content-type': 'text/event-stream; charset=utf-8',
    'cache-control': 'no-store',
    'x-accel-buffering': 'no',
    connection: 'close',
  });
  return body;
}

function written({ statusCode, message = 'OK.', data }: HandlerResponse): ApiResponse {
  return { statusCode: statusCode ?? 200, message, dataJson: writeJson(data) };
}

/** Sends a response in the envelope. */
export function sendEnvelope(reply: FastifyReply, response: ApiResponse, nowMs: number): void {
  reply.send(enveloped(reply, response, nowMs));
}

/** Sets a reply's status and headers. Returns its body. */
function enveloped(reply: FastifyReply, response: ApiResponse, nowMs: number): string {
  const { statusCode, idempotency } = response;
  const retryAfterSeconds = WITH_RETRY_AFTER.has(statusCode) ? retryAfterOf(response, nowMs) : undefined;
  reply.code(statusCode).headers({
    ...(idempotency && { 'idempotency-status': idempotency }),
    'content-type': 'application/json; charset=utf-8',
    'cache-control': 'no-store',
    ...(retryAfterSeconds === undefined ? {} : { 'retry-after': String(retryAfterSeconds) }),
  });
  return envelope(response);
}

/** Returns `retryAt` of a failure in seconds from now, at least 1: a stored failure may be old. */
function retryAfterOf({ dataJson }: ApiResponse, nowMs: number): number | undefined {
  const { retryAt } = JSON.parse(dataJson) as { readonly retryAt?: string | null };
  return retryAt ? Math.max(Math.ceil((Date.parse(retryAt) - nowMs) / 1_000), 1) : undefined;
}

/** Returns the envelope of every response as text. Below 400 it is a success. */
export function envelope({ statusCode, message, dataJson }: ApiResponse): string {
  const status = statusCode < 400;
  return `{"status":${status},"statusCode":${statusCode},"message":${JSON.stringify(message)},"data":${dataJson}}`;
}
