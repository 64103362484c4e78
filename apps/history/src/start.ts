import { historyV1 } from '@agent-wallet/contracts';
import { once } from '@agent-wallet/kernel';
import {
  createLogger,
  loadTls,
  type RunningGrpcService,
  defineService,
  startGrpcService,
  startLoop,
  stopInOrder,
  type TlsIdentity,
  verifySchema,
} from '@agent-wallet/platform';
import { watchUnprocessableEvents } from './adapters/watch-unprocessable-events.js';
import { type HistoryOverrides, openDependencies, type OpenDependencies } from './dependencies.js';
import { HISTORY_CALLERS } from './grpc/callers.js';
import { historyService } from './grpc/history-service.js';
import { historyMigrations } from './migrations.js';
import type { HistorySettings } from './settings.js';

/** While the signer is away it is asked, and its absence logged, twice a minute. */
const MAX_FAILURE_PAUSE_MS = 30_000;

/** Starts history on a migrated schema: it answers from its index, and follows the event stream. */
export async function startHistory(
  settings: HistorySettings,
  overrides: HistoryOverrides = {},
): Promise<RunningGrpcService> {
  const { logger = createLogger('history', settings.logLevel) } = overrides;
  await verifySchema({ connection: settings.database, ...historyMigrations, logger });
  const tls = await loadTls(settings.tls, { logger });
  const dependencies = openDependencies(settings, { ...overrides, logger, tls });
  try {
    return await listen(settings, dependencies, tls);
  } catch (error) {
    await dependencies.close();
    throw error;
  }
}

async function listen(
  settings: HistorySettings,
  dependencies: OpenDependencies,
  tls: TlsIdentity,
): Promise<RunningGrpcService> {
  const { logger, database, consumer, recording } = dependencies;
  const service = await startGrpcService(
    [defineService(historyV1.HistoryServiceService, HISTORY_CALLERS, historyService(dependencies))],
    { address: settings.grpcAddress, healthAddress: settings.healthAddress, tls, logger },
  );
  logger.info({ event: 'service.started', address: service.address }, 'Service listening');
  consumer.start((batch, keepPlace) => recording.execute(batch, keepPlace));
  const checkpoints = startCheckpoints(dependencies, settings.checkpoints.intervalMs);
  const gauges = watchUnprocessableEvents(database);
  const stop = () =>
    stopInOrder(
      () => service.stop(),
      () => gauges.stop(),
      () => checkpoints.stop(),
      () => dependencies.close(),
    );
  return { address: service.address, stop: once(stop) };
}

/** Has the growth of the log signed at every interval. A signer that is away delays it. */
function startCheckpoints({ checkpoints, logger }: OpenDependencies, idleMs: number) {
  const timing = { idleMs, maxFailurePauseMs: MAX_FAILURE_PAUSE_MS };
  return startLoop({ name: 'checkpoints', ...timing, logger, round: () => checkpoints.execute() });
}
