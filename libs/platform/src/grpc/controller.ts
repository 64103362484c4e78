import { AppError } from '@agent-wallet/kernel';
import type { Metadata, MethodDefinition, ServiceDefinition } from '@grpc/grpc-js';
import { GrpcMethod } from '@nestjs/microservices';
import type { ServedService } from './server.js';
import { serviceName } from './service-name.js';

/**
 * Handlers of every method of a service: `class WalletController implements
 * GrpcController<walletV1.WalletServiceService>`.
 */
export type GrpcController<S extends ServiceDefinition> = {
  -readonly [Method in keyof S]: S[Method] extends MethodDefinition<infer Request, infer Response>
    ? (request: Request, metadata?: Metadata) => Promise<Response> | Response
    : never;
};

/**
 * Makes Nest call the controller for every method of the definition, as decorators on its methods would. Fails a start in
 * which a method has no caller list or no handler: neither may be forgotten.
 */
export function bindController({ definition, callers, controller }: ServedService): void {
  const prototype = controller.prototype as Record<string, unknown>;
  const name = serviceName(definition);
  for (const method of Object.keys(definition)) {
    if (!callers[method]) throw new AppError('INTERNAL_ERROR', { message: `${method} has no caller list` });
    const handler = prototype[method];
    if (typeof handler !== 'function') throw new AppError('INTERNAL_ERROR', { message: `${method} has no handler` });
    // The package is not part of what Nest asks for.
    GrpcMethod(name.slice(name.lastIndexOf('.') + 1), method)(prototype, method, { value: handler });
  }
}
