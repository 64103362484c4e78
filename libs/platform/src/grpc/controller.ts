import { AppError } from '@agent-wallet/kernel';
import type { Metadata, MethodDefinition, ServerUnaryCall, ServiceDefinition } from '@grpc/grpc-js';
import { Controller, type Type } from '@nestjs/common';
import { GrpcMethod } from '@nestjs/microservices';
import type { CallerLists } from './callers.js';
import type { ServedService } from './server.js';
import { serviceName } from './service-name.js';

/** A call, as far as it says who calls. */
export type AuthenticatedCall = Pick<ServerUnaryCall<unknown, unknown>, 'getAuthContext'>;

/** Handlers of every method of a service. */
export type GrpcController<S extends ServiceDefinition> = {
  -readonly [Method in keyof S]: S[Method] extends MethodDefinition<infer Request, infer Response>
    ? (request: Request, metadata?: Metadata, call?: AuthenticatedCall) => Promise<Response> | Response
    : never;
};

/** Pairs a service with its callers and handlers. A method that lacks either does not compile. */
export function defineService<S extends ServiceDefinition>(
  definition: S,
  callers: CallerLists<S>,
  controller: GrpcController<S>,
): ServedService {
  return { definition, callers, controller };
}

/**
 * Creates the Nest controller that calls the handlers, as decorators on its methods would. Fails a start in which a method
 * has no caller list or no handler: neither may be forgotten.
 */
export function toNestController({ definition, callers, controller }: ServedService): Type<object> {
  class Host {}
  const handlers = controller as Readonly<Record<string, unknown>>;
  const name = serviceName(definition);
  for (const method of Object.keys(definition)) {
    if (!callers[method]) throw new AppError('INTERNAL_ERROR', { message: `${method} has no caller list` });
    const handler = handlers[method];
    if (typeof handler !== 'function') throw new AppError('INTERNAL_ERROR', { message: `${method} has no handler` });
    const value = (...call: unknown[]): unknown => Reflect.apply(handler, controller, call);
    Object.defineProperty(Host.prototype, method, { value });
    // The package is not part of what Nest asks for.
    GrpcMethod(name.slice(name.lastIndexOf('.') + 1), method)(Host.prototype, method, { value });
  }
  Controller()(Host);
  return Host;
}
