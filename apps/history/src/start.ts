import { historyV1, signerV1 } from '@agent-wallet/contracts';
import { openEventConsumer } from '@agent-wallet/events';
import {
  createLogger,
  type Database,
  loadTls,
  type Logger,
  openDatabase,
  openRpcClient,
  type RunningGrpcService,
  startGrpcService,
  startLoop,
  stopInOrder,
  type TlsIdentity,
  verifySchema,
} from '@agent-wallet/platform';
import { GrpcCheckpointSigner } from './adapters/grpc-checkpoint-signer.js';
import { PostgresCheckpointStore } from './adapters/postgres-checkpoint-store.js';
import { PostgresEventStore } from './adapters/postgres-event-store.js';
import { watchUnprocessableEvents } from './adapters/watch-unprocessable-events.js';
import { MakeCheckpoints } from './application/make-checkpoints.js';
import { RecordEvents } from './application/record-events.js';
import { openDependencies } from './dependencies.js';
import { HISTORY_CALLERS } from './grpc/callers.js';
import { HistoryController } from './grpc/history.controller.js';
import { HistoryModule } from './history.module.js';
import { historyMigrations } from './migrations.js';
import type { CheckpointSettings, HistorySettings } from './settings.js';

const SCHEMA = 'history';
/** While the signer is away it is asked, and its absence logged, twice a minute. */
const MAX_FAILURE_PAUSE_MS = 30_000;

/** What a test may replace. */
export interface HistoryOverrides {
  readonly logger?: Logger;
}

/** Starts history on a migrated schema: it answers from its index, and follows the event stream. */
export async function startHistory(
  settings: HistorySettings,
  overrides: HistoryOverrides = {},
): Promise<RunningGrpcService> {
  const logger = overrides.logger ?? createLogger('history', settings.logLevel);
  await verifySchema({ connection: settings.database, ...historyMigrations, logger });
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
    const gauges = watchUnprocessableEvents(database);
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
    HistoryModule.with(openDependencies(database)),
    [{ definition: historyV1.HistoryServiceService, callers: HISTORY_CALLERS, controller: HistoryController }],
    {
      address: settings.grpcAddress,
      healthAddress: settings.healthAddress,
      tls: await loadTls(settings.tls, { logger }),
      logger,
    },
  );
  logger.info({ event: 'service.started', address: service.address }, 'Service listening');
  return service;
}

/** Has the growth of the log signed at every interval. A signer that is away delays it. */
function startCheckpoints(
  { signerAddress, intervalMs }: CheckpointSettings,
  { database, tls, logger }: { readonly database: Database; readonly tls: TlsIdentity; readonly logger: Logger },
): { stop(): Promise<void> } {
  const signer = openRpcClient({
    definition: signerV1.SignerServiceService,
    peer: { address: signerAddress, service: 'signer' },
    tls,
  });
  const making = new MakeCheckpoints(new PostgresCheckpointStore(database), new GrpcCheckpointSigner(signer));
  const timing = { idleMs: intervalMs, maxFailurePauseMs: MAX_FAILURE_PAUSE_MS };
  const loop = startLoop({ name: 'checkpoints', ...timing, logger, round: () => making.execute() });
  return { stop: () => loop.stop().finally(() => signer.close()) };
}
