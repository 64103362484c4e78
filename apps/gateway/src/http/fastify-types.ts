import type { NestFastifyApplication } from '@nestjs/platform-fastify';

/** Fastify's types as Nest's adapter has them, so that there is one version of them. */
export type FastifyInstance = ReturnType<ReturnType<NestFastifyApplication['getHttpAdapter']>['getInstance']>;

type ErrorHandlerParameters = Parameters<FastifyInstance['errorHandler']>;

/** A request. */
export type FastifyRequest = ErrorHandlerParameters[1];

/** The answer to a request. */
export type FastifyReply = ErrorHandlerParameters[2];
