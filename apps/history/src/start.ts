import { historyV1 } from '@agent-wallet/contracts';
import { createPostgresConsumer, type EventConsumer } from '@agent-wallet/events';
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
import { PrismaPg } from '@prisma/adapter-pg';
import { PostgresEventStore } from './adapters/postgres-event-store.js';
import { PrismaTransactionIndex } from './adapters/prisma-transaction-index.js';
import { RecordEvents } from './application/record-events.js';
import { PrismaClient } from './generated/prisma/client.js';
import { HISTORY_CALLERS } from './grpc/callers.js';
import { HistoryController } from './grpc/history.controller.js';
import { HistoryModule } from './history.module.js';
import type { HistorySettings } from './settings.js';

const SCHEMA = 'history';

/** What a test may replace. */
export interface HistorySeams {
  readonly logger?: Logger;
}

/** Starts history on a migrated schema: it answers from its index, and follows the event stream. */
export async function startHistory(settings: HistorySettings, seams: HistorySeams = {}): Promise<RunningGrpcService> {
  const logger = seams.logger ?? createLogger('history', settings.logLevel);
  const database = openDatabase({ connection: settings.database, schema: SCHEMA, logger });
  const prisma = new PrismaClient({ adapter: new PrismaPg(database.pool, { schema: SCHEMA }) });
  const closeDatabase = () =>
    stopInOrder(
      () => prisma.$disconnect(),
      () => database.close(),
    );
  try {
    const service = await listen(settings, prisma, logger);
    const consumer = followStream(database, logger);
    const stop = () =>
      stopInOrder(
        () => service.stop(),
        () => consumer.stop(),
        closeDatabase,
      );
    let stopped: Promise<void> | undefined;
    return { address: service.address, stop: () => (stopped ??= stop()) };
  } catch (error) {
    await closeDatabase();
    throw error;
  }
}

async function listen(settings: HistorySettings, prisma: PrismaClient, logger: Logger): Promise<RunningGrpcService> {
  const service = await startGrpcService(
    HistoryModule.with(new PrismaTransactionIndex(prisma)),
    [{ definition: historyV1.HistoryServiceService, callers: HISTORY_CALLERS, controller: HistoryController }],
    {
      address: settings.grpcAddress,
      tls: await loadTls(settings.tls),
      logger,
    },
  );
  logger.info({ address: service.address }, 'history listens');
  return service;
}

function followStream(database: Database, logger: Logger): EventConsumer {
  const recording = new RecordEvents(new PostgresEventStore(database), logger);
  const consumer = createPostgresConsumer({ database, consumer: SCHEMA, logger });
  consumer.start((batch) => recording.execute(batch));
  return consumer;
}
