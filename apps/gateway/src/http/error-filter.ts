import { AppError, type Clock } from '@agent-wallet/kernel';
import { type Logger, toAppError } from '@agent-wallet/platform';
import { type ArgumentsHost, Catch, type ExceptionFilter } from '@nestjs/common';
import { failureResponse } from '../application/responses/failure.js';
import { RateLimited } from '../domain/rate-limits.js';
import { sendEnvelope } from './envelope.js';
import type { FastifyReply, FastifyRequest } from './fastify-types.js';
import { isOwnersPath } from './owners/owner-admission.js';
import { showWindow } from './show-window.js';
import { BODY_LIMIT_BYTES, unsupportedMediaType } from './json-body.js';

/** The only exit for errors: a code of the catalogue in the envelope. */
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
    const nowMs = this.clock.nowMs();
    const response = failureResponse(shown, { requestId: request.id, nowMs });
    const of = { requestId: request.id, route: request.routeOptions?.url };
    if (isServerError(response.statusCode))
      logServerError(this.logger, { error: shown, statusCode: response.statusCode, ...of });
    if (shown instanceof RateLimited) showWindow(reply, shown.window, { nowMs, windowSeconds: shown.windowSeconds });
    const isChallenged = shown.code === 'AUTHENTICATION_ERROR' && !isOwnersPath(request.url);
    if (isChallenged && !reply.hasHeader('www-authenticate')) reply.header('www-authenticate', 'Bearer');
    sendEnvelope(reply, response, nowMs);
  }
}

/** Errors of Fastify and Nest, by the status they carry; undefined for others. */
function frameworkError(error: unknown): AppError | undefined {
  if (error instanceof AppError) return undefined;
  const { statusCode, status } = error as { statusCode?: unknown; status?: unknown };
  const http = typeof statusCode === 'number' ? statusCode : status;
  if (typeof http !== 'number' || http < 400 || http >= 500) return undefined;
  if (http === 404) return new AppError('NOT_FOUND', { data: { resource: 'route' }, cause: error });
  if (http === 413) return new AppError('PAYLOAD_TOO_LARGE', { data: { maxBytes: BODY_LIMIT_BYTES }, cause: error });
  if (http === 415) return unsupportedMediaType(error);
  return AppError.fields([{ field: 'request', reason: 'could not be read', problem: 'invalid_format' }], error);
}

/** A failure that callers see as a server error. */
interface ServerError {
  readonly error: AppError;
  /** HTTP status of the response. */
  readonly statusCode: number;
  readonly requestId: string;
  readonly route: string | undefined;
}

/** Reports whether a status says that something failed here; 501 says that the deployment does not offer it. */
export function isServerError(statusCode: number): boolean {
  return statusCode >= 500 && statusCode !== NOT_OFFERED;
}

const NOT_OFFERED = 501;

/** Logs a server error: as an outage of a dependency, or as a fault of our own. */
export function logServerError(logger: Logger, { error, statusCode, ...of }: ServerError): void {
  const { code } = error;
  const fields = { code, ...of, err: error.cause ?? error };
  if (code === 'SERVICE_UNAVAILABLE' || statusCode > 500)
    logger.warn({ event: 'http_request.unavailable_returned', ...fields }, 'Request failed at a dependency');
  else logger.error({ event: 'http_request.failed', ...fields }, 'Request failed');
}
