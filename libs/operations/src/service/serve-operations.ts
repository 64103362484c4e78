import { once } from '@agent-wallet/kernel';
import {
  type BackgroundLoop,
  type GrpcServerOptions,
  type RunningGrpcService,
  type ServedService,
  startGrpcService,
  stopInOrder,
} from '@agent-wallet/platform';
import type { DynamicModule } from '@nestjs/common';
import type { OperationEngine } from '../engine/operation-engine.js';
import { OPERATIONS_SERVICE } from '../operator/operations.controller.js';

/** A service that carries out operations, opened. */
interface OpenOperationService {
  /** Binds the controllers of all that is served, OperationsController too, and provides OperatorService. */
  readonly module: DynamicModule;
  /** Besides what operators are served. */
  readonly served: readonly ServedService[];
  readonly engine: Pick<OperationEngine, 'stop'>;
  /** Begins what runs beside the operations; called once it listens. */
  readonly begin?: () => Pick<BackgroundLoop, 'stop'>;
  /** Closes what serves operations, once none is carried out here any more. */
  readonly close: () => Promise<void>;
}

/** Lets a service listen that was opened; when it cannot, all of it is closed again. */
export async function serveOperations(
  { module, served, engine, begin, close }: OpenOperationService,
  options: GrpcServerOptions,
): Promise<RunningGrpcService> {
  let server: RunningGrpcService | undefined;
  try {
    server = await startGrpcService(module, [...served, OPERATIONS_SERVICE], options);
    const running = server;
    const { address } = running;
    options.logger.info({ event: 'service.started', address }, 'Service listening');
    const beside = begin?.();
    // Together: callers that wait are let go when their operation ends or is handed over.
    const drain = () => Promise.all([running.stop(), engine.stop(), beside?.stop()]);
    return { address, stop: once(() => stopInOrder(drain, close)) };
  } catch (error) {
    await stopInOrder(() => Promise.all([server?.stop(), engine.stop()]), close);
    throw error;
  }
}
