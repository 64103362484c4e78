import { AppError, type Clock, type ErrorCode } from '@agent-wallet/kernel';
import { type Logger, toAppError } from '@agent-wallet/platform';
import { type ArgumentsHost, Catch, type ExceptionFilter } from '@nestjs/common';
import { failureResponse } from '../application/responses/failure.js';
import { RateLimited } from '../domain/rate-limits.js';
import { showWindow } from './admission.js';
import { sendEnvelope } from './envelope.js';
import type { FastifyReply, FastifyRequest } from './fastify-types.js';

const IN_PROGRESS_RETRY_SECONDS = 2;
const SHARED_RETRY_SECONDS = 60;

/** The one way in which an error leaves: a code of the catalogue in the envelope. */
@Catch()
export class ErrorFilter implements ExceptionFilter {
  constructor(
    private readonly logger: Logger,
    private readonly clock: Clock,
  ) {}

  catch(error: unknown, host: ArgumentsHost): void {
    const http = host.switchToHttp();
    const [request, reply] = [http.getRequest<FastifyRequest>(), http.getResponse<FastifyReply>()];
    const shown = frameworkError(error) ?? toAppError(error);
    const response = failureResponse(shown, request.id);
    if (response.statusCode >= 500) logServerError(shown, request, response.statusCode, this.logger);
    if (shown instanceof RateLimited) {
      showWindow(reply, shown.window);
      const waitMs = shown.window.resetsAtMs - this.clock.nowMs();
      reply.header('retry-after', String(Math.max(Math.ceil(waitMs / 1000), 1)));
    }
    // A limit that all agents share is used up at a service behind.
    else if (shown.code === 'RATE_LIMIT_EXCEEDED') reply.header('retry-after', String(SHARED_RETRY_SECONDS));
    if (shown.code === 'IDEMPOTENCY_IN_PROGRESS') reply.header('retry-after', String(IN_PROGRESS_RETRY_SECONDS));
    if (shown.code === 'AUTHENTICATION_ERROR') reply.header('www-authenticate', 'Bearer');
    sendEnvelope(reply, response);
  }
}

/** Errors of Fastify and Nest, by the status they carry; undefined for what is none of theirs. */
function frameworkError(error: unknown): AppError | undefined {
  if (error instanceof AppError) return undefined;
  const { statusCode, status } = error as { statusCode?: unknown; status?: unknown };
  const http = typeof statusCode === 'number' ? statusCode : status;
  if (typeof http !== 'number' || http < 400 || http >= 500) return undefined;
  const code = CODES[http] ?? 'VALIDATION_ERROR';
  return code === 'VALIDATION_ERROR'
    ? new AppError(code, { cause: error, details: [{ field: 'request', reason: 'could not be read' }] })
    : new AppError(code, { cause: error });
}

const CODES: Readonly<Record<number, ErrorCode>> = {
  401: 'AUTHENTICATION_ERROR',
  404: 'NOT_FOUND',
  405: 'METHOD_NOT_ALLOWED',
  413: 'PAYLOAD_TOO_LARGE',
  415: 'UNSUPPORTED_MEDIA_TYPE',
};

function logServerError(error: AppError, request: FastifyRequest, statusCode: number, logger: Logger): void {
  const { code } = error;
  const fields = { code, requestId: request.id, route: request.routeOptions?.url, err: error.cause ?? error };
  if (code === 'SERVICE_UNAVAILABLE' || statusCode > 500)
    logger.warn({ event: 'http_request.unavailable_returned', ...fields }, 'Request failed at a dependency');
  else logger.error({ event: 'http_request.failed', ...fields }, 'Request failed');
}
