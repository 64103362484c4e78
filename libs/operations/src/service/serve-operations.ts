import { operationsV1 } from '@agent-wallet/contracts';
import { once } from '@agent-wallet/kernel';
import {
  type BackgroundLoop,
  type GrpcServerOptions,
  type RunningGrpcService,
  defineService,
  type ServedService,
  startGrpcService,
  stopInOrder,
} from '@agent-wallet/platform';
import type { OperationEngine } from '../engine/operation-engine.js';
import type { OperatorService } from '../operator/operator-service.js';
import { OPERATIONS_CALLERS, operationsService } from '../operator/operations-service.js';

/** A service that carries out operations, opened. */
interface OpenOperationService {
  /** Besides what operators are served. */
  readonly served: readonly ServedService[];
  readonly operators: OperatorService;
  readonly engine: Pick<OperationEngine, 'stop'>;
  /** Begins what runs beside the operations; called once it listens. */
  readonly begin?: () => Pick<BackgroundLoop, 'stop'>;
  /** Closes what serves operations, once none is carried out here any more. */
  readonly close: () => Promise<void>;
}

/** Lets a service listen that was opened; when it cannot, all of it is closed again. */
export async function serveOperations(
  { served, operators, engine, begin, close }: OpenOperationService,
  options: GrpcServerOptions,
): Promise<RunningGrpcService> {
  let server: RunningGrpcService | undefined;
  try {
    const operations = defineService(
      operationsV1.OperationsServiceService,
      OPERATIONS_CALLERS,
      operationsService(operators),
    );
    server = await startGrpcService([...served, operations], options);
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
