import { type ArgumentsHost, Catch, type ExceptionFilter } from '@nestjs/common';
import type { INestMicroservice } from '@nestjs/common';
import { NestFactory } from '@nestjs/core';
import type { MicroserviceOptions } from '@nestjs/microservices';
import { throwError } from 'rxjs';
import type { RunningService } from '../lifecycle/running-service.js';
import { toNestController } from './controller.js';
import { GrpcServer, type GrpcServerOptions, type ServedService } from './server.js';

/** Lets errors reach our transport as they were thrown: it knows how to show them. */
@Catch()
class PassThroughFilter implements ExceptionFilter {
  catch(error: unknown, _host: ArgumentsHost) {
    return throwError(() => error);
  }
}

/** A gRPC service that listens. */
export interface RunningGrpcService extends RunningService {
  /** `host:port` that peers can call. */
  readonly address: string;
}

/** A gRPC server whose health probes can read: from the first moment of `stop` it is NOT_SERVING. */
export interface StartedGrpcServer extends RunningGrpcService {
  /** `host:port` that serves health without TLS, where that was asked for. */
  readonly healthAddress?: string;
  /** Says whether calls should come here. */
  setServing(isServing: boolean): void;
}

/** Starts the services on one gRPC server, with Nest as the host of their handlers. */
export async function startGrpcService(
  services: readonly ServedService[],
  options: GrpcServerOptions,
): Promise<StartedGrpcServer> {
  const module = { module: class {}, controllers: services.map(toNestController) };
  const strategy = new GrpcServer(services, options);
  const app: INestMicroservice = await NestFactory.createMicroservice<MicroserviceOptions>(module, {
    strategy,
    logger: ['error', 'fatal'],
    abortOnError: false,
  });
  app.useGlobalFilters(new PassThroughFilter());
  await app.listen();
  strategy.setServing(options.startsServing ?? true);
  const host = options.address.slice(0, options.address.lastIndexOf(':'));
  const { healthAddress } = strategy;
  const stop = () => {
    strategy.setServing(false);
    return app.close();
  };
  return {
    address: `${host}:${strategy.port}`,
    ...(healthAddress && { healthAddress }),
    setServing: (isServing) => strategy.setServing(isServing),
    stop,
  };
}
