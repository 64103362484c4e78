import { readFile } from 'node:fs/promises';
import { predictionV1 } from '@agent-wallet/contracts';
import { Secret, systemClock } from '@agent-wallet/kernel';
import { serveOperations } from '@agent-wallet/operations';
import {
  createLogger,
  loadTls,
  type RunningGrpcService,
  defineService,
  stopInOrder,
  verifySchema,
} from '@agent-wallet/platform';
import { watchComparison } from './adapters/ledger/watch-comparison.js';
import { type LedgerTiming, type OpenLedgerWork, openDependencies, type PredictionOverrides } from './dependencies.js';
import { LEDGER_CALLERS, CATALOG_CALLERS, PREDICTION_CALLERS } from './grpc/callers.js';
import { catalogService } from './grpc/catalog-service.js';
import { ledgerService } from './grpc/ledger-service.js';
import { predictionService } from './grpc/prediction-service.js';
import { predictionMigrations } from './migrations.js';
import type { KalshiSettings, PredictionSettings } from './settings.js';

/** Starts the prediction service on a migrated schema, and takes up the operations that others left. */
export async function startPrediction(
  settings: PredictionSettings,
  overrides: PredictionOverrides = {},
): Promise<RunningGrpcService> {
  const { logger = createLogger('prediction', settings.logLevel), clock = systemClock } = overrides;
  await verifySchema({ connection: settings.database, ...predictionMigrations, logger });
  const [tls, privateKey] = await Promise.all([loadTls(settings.tls, { logger }), readKey(settings.kalshi)]);
  const dependencies = openDependencies(settings, { ...overrides, clock, logger, tls, privateKey });
  const { useCases, ledgerAdministration, operators, engine, close } = dependencies;
  const served = [
    defineService(predictionV1.PredictionServiceService, PREDICTION_CALLERS, predictionService(useCases)),
    defineService(predictionV1.CatalogServiceService, CATALOG_CALLERS, catalogService(useCases.catalog)),
    defineService(predictionV1.LedgerServiceService, LEDGER_CALLERS, ledgerService(ledgerAdministration)),
  ];
  const begin = () => startLedgerWork(dependencies, overrides.ledgerTiming);
  return serveOperations(
    { served, operators, engine, begin, close },
    { address: settings.grpcAddress, healthAddress: settings.healthAddress, tls, logger },
  );
}

/** Settles and compares by itself from here on. @returns what ends that */
export function startLedgerWork(
  { database, settling, watching }: OpenLedgerWork,
  { settlementIdleMs, comparisonIdleMs }: LedgerTiming = {},
): { stop(): Promise<void> } {
  const gauges = watchComparison(database);
  const loops = [settling.start(settlementIdleMs), watching.start(comparisonIdleMs)];
  return {
    stop: () =>
      stopInOrder(
        () => gauges.stop(),
        () => Promise.all(loops.map((loop) => loop.stop())),
      ),
  };
}

async function readKey({ privateKeyPath }: KalshiSettings): Promise<Secret<string>> {
  return new Secret(await readFile(privateKeyPath, 'utf8'));
}
