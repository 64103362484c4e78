import { readFile } from 'node:fs/promises';
import { policyV1, predictionV1, walletV1 } from '@agent-wallet/contracts';
import { type Clock, Secret, systemClock } from '@agent-wallet/kernel';
import {
  crashAtPlaceIn,
  noCheckpoint,
  OperationEngine,
  type OperationSeams,
  OperatorDesk,
  serveOperations,
  startEventRelay,
} from '@agent-wallet/operations';
import { createOutbox, openEventPublisher } from '@agent-wallet/events';
import {
  createLogger,
  loadTls,
  type Logger,
  openDatabase,
  openRpcClient,
  type RunningGrpcService,
  type ServedService,
  stopInOrder,
  type TlsIdentity,
} from '@agent-wallet/platform';
import { openPriceReader } from '@agent-wallet/prices';
import { type BookkeepingPace, openBookkeeping, type OpenBookkeeping } from './adapters/books/open-bookkeeping.js';
import { PostgresLedgerStore } from './adapters/books/postgres-ledger-store.js';
import { openExchange } from './adapters/exchange/open-exchange.js';
import { openOperations } from './application/operations/open-operations.js';
import { DEFAULT_ORDER_PACE, type OrderPace } from './application/operations/dependencies.js';
import { USD_MICROS_PER_CENT } from './domain/orders/limit-price.js';
import { BooksController } from './grpc/books.controller.js';
import { BOOKS_CALLERS, CATALOG_CALLERS, PREDICTION_CALLERS } from './grpc/callers.js';
import { CatalogController } from './grpc/catalog.controller.js';
import { PredictionController } from './grpc/prediction.controller.js';
import { PredictionModule, type PredictionDependencies } from './prediction.module.js';
import type { KalshiSettings, PredictionSettings } from './settings.js';

const SCHEMA = 'prediction';

/** What a test may replace. */
export interface PredictionOverrides extends OperationSeams {
  readonly orderPace?: Partial<OrderPace>;
  readonly bookkeepingPace?: BookkeepingPace;
}

/** What was opened, and how it is closed. */
interface Opened extends PredictionDependencies {
  readonly startBookkeeping: OpenBookkeeping['start'];
  /** Closes what serves operations, once none is carried out here any more. */
  readonly close: () => Promise<void>;
}

const SERVED: readonly ServedService[] = [
  {
    definition: predictionV1.PredictionServiceService,
    callers: PREDICTION_CALLERS,
    controller: PredictionController,
  },
  { definition: predictionV1.CatalogServiceService, callers: CATALOG_CALLERS, controller: CatalogController },
  { definition: predictionV1.BooksServiceService, callers: BOOKS_CALLERS, controller: BooksController },
];

/** Starts the prediction service on a migrated schema, and takes up the operations that others left. */
export async function startPrediction(
  settings: PredictionSettings,
  overrides: PredictionOverrides = {},
): Promise<RunningGrpcService> {
  const logger = overrides.logger ?? createLogger('prediction', settings.logLevel);
  const [tls, privateKey] = await Promise.all([loadTls(settings.tls, { logger }), readKey(settings.kalshi)]);
  const parts = open(settings, { ...overrides, logger }, { tls, privateKey });
  const { engine, startBookkeeping, close } = parts;
  const begin = () => startBookkeeping(overrides.bookkeepingPace);
  return serveOperations(
    { name: 'prediction', module: PredictionModule.with(parts), served: SERVED, engine, begin, close },
    { address: settings.grpcAddress, healthAddress: settings.healthAddress, tls, logger },
  );
}

async function readKey({ privateKeyPath }: KalshiSettings): Promise<Secret<string>> {
  return new Secret(await readFile(privateKeyPath, 'utf8'));
}

/** What proves who we are: to our peers, and to the exchange. */
interface Identity {
  readonly tls: TlsIdentity;
  readonly privateKey: Secret<string>;
}

function open(
  settings: PredictionSettings,
  overrides: PredictionOverrides & { readonly logger: Logger },
  { tls, privateKey }: Identity,
): Opened {
  const { logger, clock = systemClock } = overrides;
  const checkpoint = overrides.checkpoint ?? (settings.crashAtPath ? crashAtPlaceIn(settings.crashAtPath) : noCheckpoint);
  const database = openDatabase({ connection: settings.database, schema: SCHEMA, logger });
  const { policies, recoveries, wallet } = openPeers(settings, tls);
  const { baseUrl, wsUrl, apiKeyId } = settings.kalshi;
  const { exchange, catalog, ...opened } = openExchange({
    ...{ baseUrl, wsUrl, apiKeyId, privateKey, database, clock, logger },
  });
  const publisher = openEventPublisher(settings.stream, { database, source: SCHEMA, logger });
  const relay = startEventRelay(database, { publisher, place: 'prediction.before-publishing', checkpoint, logger });
  const outbox = createOutbox('prediction', clock);
  const books = new PostgresLedgerStore(database, outbox);
  const kept = openBookkeeping({ database, exchange, wallet, clock, logger });
  const { bookkeeping, givenUp, start: startBookkeeping } = kept;
  const kinds = openOperations({
    ...{ exchange, books, givenUp, wallet, policies, clock, logger },
    prices: openPrices(settings, clock),
    pace: { ...DEFAULT_ORDER_PACE, ...overrides.orderPace },
    toleranceUsdMicros: BigInt(settings.priceToleranceCents) * USD_MICROS_PER_CENT,
  });
  const sagas = [kinds.buys, kinds.sales, kinds.withdrawals];
  const engine = new OperationEngine({
    ...{ source: 'prediction', database, kinds: sagas, recoveries, clock, logger, checkpoint },
    ...(overrides.pace ? { pace: overrides.pace } : {}),
  });
  const desk = new OperatorDesk({ source: 'prediction', database, clock, outbox, kinds: sagas, recoveries });
  const close = () =>
    stopInOrder(
      () => relay.stop(),
      () => opened.close(),
      () => [policies, recoveries, wallet].forEach((door) => door.close()),
      () => database.close(),
    );
  return { kinds, engine, desk, books, bookkeeping, startBookkeeping, catalog, policies, wallet, logger, close };
}

function openPeers({ policyAddress, walletAddress }: PredictionSettings, tls: TlsIdentity) {
  return {
    policies: openRpcClient({
      definition: policyV1.PolicyServiceService,
      peer: { address: policyAddress, service: 'policy' },
      tls,
    }),
    recoveries: openRpcClient({
      definition: policyV1.RecoveryServiceService,
      peer: { address: policyAddress, service: 'policy' },
      tls,
    }),
    wallet: openRpcClient({
      definition: walletV1.WalletServiceService,
      peer: { address: walletAddress, service: 'wallet' },
      tls,
    }),
  };
}

function openPrices({ jupiterBaseUrl: baseUrl, jupiterApiKey: apiKey }: PredictionSettings, clock: Clock) {
  return openPriceReader({ baseUrl, clock, ...(apiKey ? { apiKey } : {}) });
}
