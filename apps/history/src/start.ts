import { historyV1 } from '@agent-wallet/contracts';
import { openEventConsumer } from '@agent-wallet/events';
import {
  createLogger,
  type Database,
  loadTls,
  type Logger,
  openDatabase,
  type RunningGrpcService,
  startGrpcService,
  stopInOrder,
} from '@agent-wallet/platform';
import { PostgresEventChain } from './adapters/postgres-event-chain.js';
import { PostgresEventStore } from './adapters/postgres-event-store.js';
import { PostgresOperationStates } from './adapters/postgres-operation-states.js';
import { PostgresTransactionIndex } from './adapters/postgres-transaction-index.js';
import { watchDeadEvents } from './adapters/watch-dead-events.js';
import { RecordEvents } from './application/record-events.js';
import { HISTORY_CALLERS } from './grpc/callers.js';
import { HistoryController } from './grpc/history.controller.js';
import { HistoryModule } from './history.module.js';
import type { HistorySettings } from './settings.js';
import { startCheckpoints } from './start-checkpoints.js';

const SCHEMA = 'history';

/** What a test may replace. */
export interface HistorySeams {
  readonly logger?: Logger;
}

/** Starts history on a migrated schema: it answers from its index, and follows the event stream. */
export async function startHistory(settings: HistorySettings, seams: HistorySeams = {}): Promise<RunningGrpcService> {
  const logger = seams.logger ?? createLogger('history', settings.logLevel);
  const database = openDatabase({ connection: settings.database, schema: SCHEMA, logger });
  try {
    const consumer = openEventConsumer(settings.stream, { database, consumer: SCHEMA, logger });
    const service = await listen(settings, database, logger);
    const recording = new RecordEvents(new PostgresEventStore(database), logger);
    consumer.start((batch, keepPlace) => recording.execute(batch, keepPlace));
    const checkpoints = startCheckpoints(settings.checkpoints, {
      database,
      tls: await loadTls(settings.tls, { logger }),
      logger,
    });
    const gauges = watchDeadEvents(database);
    const stop = () =>
      stopInOrder(
        () => service.stop(),
        () => gauges.stop(),
        () => checkpoints.stop(),
        () => consumer.stop(),
        () => database.close(),
      );
    let stopped: Promise<void> | undefined;
    return { address: service.address, stop: () => (stopped ??= stop()) };
  } catch (error) {
    await database.close();
    throw error;
  }
}

async function listen(settings: HistorySettings, database: Database, logger: Logger): Promise<RunningGrpcService> {
  const service = await startGrpcService(
    HistoryModule.with({
      index: new PostgresTransactionIndex(database),
      chain: new PostgresEventChain(database),
      states: new PostgresOperationStates(database),
    }),
    [{ definition: historyV1.HistoryServiceService, callers: HISTORY_CALLERS, controller: HistoryController }],
    {
      address: settings.grpcAddress,
      healthAddress: settings.healthAddress,
      tls: await loadTls(settings.tls, { logger }),
      logger,
    },
  );
  logger.info({ address: service.address }, 'history listens');
  return service;
}
