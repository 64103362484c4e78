import { policyV1 } from '@agent-wallet/contracts';
import { type Clock, systemClock } from '@agent-wallet/kernel';
import { createOutbox, openEventPublisher, type OpenEventPublisher, startRelay } from '@agent-wallet/events';
import {
  type BackgroundLoop,
  createLogger,
  type Database,
  loadTls,
  type Logger,
  openDatabase,
  type RunningGrpcService,
  type ServedService,
  startGrpcService,
  startLoop,
  stopInOrder,
  verifySchema,
} from '@agent-wallet/platform';
import { acceptedPrices, chainPriceClock, freshPrices, openPriceReader } from '@agent-wallet/prices';
import { openSolanaChain, type SolanaChain } from '@agent-wallet/solana';
import { PrismaPg } from '@prisma/adapter-pg';
import { ChainLandedSignatures } from './adapters/chain-landed-signatures.js';
import { openPermitKeys, type PermitKeyFolder } from './adapters/permit-key-folder.js';
import { PostgresAcceptedPriceStore } from './adapters/postgres-accepted-price-store.js';
import { PostgresHeadLog } from './adapters/postgres-head-log.js';
import { PostgresReservationStore } from './adapters/postgres-reservation-store.js';
import { PostgresFreezeStore } from './adapters/postgres-freeze-store.js';
import { PostgresPolicyStore } from './adapters/postgres-policy-store.js';
import { PostgresRecoveryStore } from './adapters/postgres-recovery-store.js';
import { watchRecovery } from './adapters/watch-recovery.js';
import { watchReservations } from './adapters/watch-reservations.js';
import { FindOutcome } from './application/outcomes/find-outcome.js';
import { Reconcile } from './application/outcomes/reconcile.js';
import { ReadWallet } from './application/recovery/read-wallet.js';
import { Recover } from './application/recovery/recover.js';
import { PrismaClient } from './generated/prisma/client.js';
import { POLICY_CALLERS, RECOVERY_CALLERS } from './grpc/callers.js';
import { PolicyController } from './grpc/policy.controller.js';
import { RecoveryController } from './grpc/recovery.controller.js';
import { policyMigrations } from './migrations.js';
import { PolicyModule, type PolicyDependencies } from './policy.module.js';
import type { PolicySettings } from './settings.js';
import { verifySigner } from './adapters/verify-signer.js';

const SCHEMA = 'policy';
const DATABASE_CONNECTIONS = 20;
const SERVED: readonly ServedService[] = [
  { definition: policyV1.PolicyServiceService, callers: POLICY_CALLERS, controller: PolicyController },
  { definition: policyV1.RecoveryServiceService, callers: RECOVERY_CALLERS, controller: RecoveryController },
];
const OBSERVE_HEAD_EVERY_MS = 2_000;
const RECONCILE_EVERY_MS = 1_000;
const RECOVER_EVERY_MS = 1_000;
const READ_PERMIT_KEYS_EVERY_MS = 2_000;

/** What a test may replace. */
export interface PolicyOverrides {
  readonly clock?: Clock;
  readonly logger?: Logger;
  readonly observeHeadEveryMs?: number;
  readonly recoverEveryMs?: number;
}

interface Ground {
  readonly observeHeadEveryMs: number;
  readonly recoverEveryMs: number;
  readonly clock: Clock;
  readonly logger: Logger;
  readonly database: Database;
  readonly prisma: PrismaClient;
  readonly chain: SolanaChain;
  readonly heads: PostgresHeadLog;
  readonly relay: BackgroundLoop;
  readonly publisher: OpenEventPublisher;
  readonly permitFolder: PermitKeyFolder;
}

/**
 * Starts policy on a migrated schema: it answers, relays its events, notes block heights, and looks after open
 * reservations. @throws SettingsError
 */
export async function startPolicy(
  settings: PolicySettings,
  overrides: PolicyOverrides = {},
): Promise<RunningGrpcService> {
  const logger = overrides.logger ?? createLogger(SCHEMA, settings.logLevel);
  const clock = overrides.clock ?? systemClock;
  await verifySchema({ connection: settings.database, ...policyMigrations, logger });
  await verifySigner(settings, { clock, logger });
  const permitFolder = await openPermitKeys(settings.permitKeysPath, settings.permitKeyId, logger);
  const connection = settings.database;
  const database = openDatabase({ connection, schema: SCHEMA, logger, maxConnections: DATABASE_CONNECTIONS });
  const prisma = new PrismaClient({ adapter: new PrismaPg(database.pool, { schema: SCHEMA }) });
  const publisher = openEventPublisher(settings.stream, { database, source: SCHEMA, logger });
  const chain = openSolanaChain({ rpcUrl: settings.solanaRpcUrl, clock });
  const relay = startRelay(database, publisher, logger);
  const observeHeadEveryMs = overrides.observeHeadEveryMs ?? OBSERVE_HEAD_EVERY_MS;
  const recoverEveryMs = overrides.recoverEveryMs ?? RECOVER_EVERY_MS;
  const heads = new PostgresHeadLog(database);
  const opened = { database, prisma, chain, heads, relay, publisher, permitFolder };
  const ground = { observeHeadEveryMs, recoverEveryMs, clock, logger, ...opened };
  try {
    const dependencies = await openDependencies(settings, ground);
    return await listen(settings, dependencies, ground);
  } catch (error) {
    await letGo(ground);
    throw error;
  }
}

async function openDependencies(settings: PolicySettings, ground: Ground): Promise<PolicyDependencies> {
  const { clock, database, prisma, chain, heads } = ground;
  const landed = new ChainLandedSignatures(chain);
  const outbox = createOutbox(SCHEMA, clock);
  const { sponsor, feeWalletAddress, swaps, treasury } = settings;
  return {
    policies: new PostgresPolicyStore(database, prisma, outbox),
    reservations: new PostgresReservationStore(database, sponsor, treasury.maxPayoutsPerDay, clock),
    freezes: new PostgresFreezeStore(database, outbox),
    recoveries: new PostgresRecoveryStore(database, outbox),
    terms: {
      ...{ sponsorAddress: sponsor.address, feeWalletAddress, treasuryAddress: treasury.address },
      ...{ bounds: sponsor, swaps },
    },
    chain,
    ...openPrices(settings, ground),
    permits: ground.permitFolder.signer,
    outcomes: new FindOutcome(chain, landed, heads, settings.deathMarginBlocks),
    clock,
  };
}

function openPrices(settings: PolicySettings, { clock, chain, database }: Ground) {
  const { jupiterBaseUrl: baseUrl, jupiterApiKey: apiKey, priceMaxAgeMs: maxAgeMs } = settings;
  const reader = openPriceReader({ baseUrl, clock, ...(apiKey ? { apiKey } : {}) });
  const fresh = freshPrices({ reader, priceClock: chainPriceClock({ chain, clock }), clock, maxAgeMs });
  const store = new PostgresAcceptedPriceStore(database);
  const unwritten = { load: (mints: readonly string[]) => store.load(mints), save: async () => {} };
  return {
    prices: acceptedPrices({ fresh, clock, store }),
    pricesForDryRuns: acceptedPrices({ fresh, clock, store: unwritten }),
  };
}

async function listen(
  settings: PolicySettings,
  dependencies: PolicyDependencies,
  ground: Ground,
): Promise<RunningGrpcService> {
  const { observeHeadEveryMs, logger, chain, heads } = ground;
  const recover = openRecover(settings, dependencies, ground);
  // Before the first request, so that its answer is right. Without a database nothing is permitted anyway.
  await recover
    .notice()
    .catch((err: unknown) => logger.warn({ err }, 'it is not known whether the database was put back'));
  const service = await startGrpcService(PolicyModule.with(dependencies), SERVED, {
    address: settings.grpcAddress,
    healthAddress: settings.healthAddress,
    tls: await loadTls(settings.tls, { logger }),
    logger,
  });
  const observing = startLoop({
    name: 'heads',
    logger,
    idleMs: observeHeadEveryMs,
    round: () => heads.observe(() => chain.head()).then(() => false),
  });
  const reconcile = new Reconcile(dependencies.reservations, dependencies.outcomes, logger);
  const round = () => reconcile.execute();
  const gauges = [watchReservations(ground.database), watchRecovery(ground.database)];
  const reconciling = startLoop({ name: 'reconcile', logger, idleMs: RECONCILE_EVERY_MS, round });
  const recovering = startLoop({
    name: 'recovery',
    logger,
    idleMs: ground.recoverEveryMs,
    round: () => recover.execute(),
  });
  const rotating = startLoop({
    name: 'permit-keys',
    logger,
    idleMs: READ_PERMIT_KEYS_EVERY_MS,
    round: () => ground.permitFolder.refresh().then(() => false),
  });
  logger.info({ address: service.address }, 'policy listens');
  const stop = () =>
    stopInOrder(
      () => service.stop(),
      () => gauges.forEach((gauge) => gauge.stop()),
      () => Promise.all([observing, reconciling, recovering, rotating].map((loop) => loop.stop())),
      () => letGo(ground),
    );
  let stopped: Promise<void> | undefined;
  return { address: service.address, stop: () => (stopped ??= stop()) };
}

function openRecover(settings: PolicySettings, dependencies: PolicyDependencies, { logger, chain }: Ground): Recover {
  const { recoveries, prices } = dependencies;
  const { sponsor, treasury, deathMarginBlocks: marginBlocks } = settings;
  const operators = { sponsor: sponsor.address, treasury: treasury.address };
  const read = new ReadWallet({ chain, prices, recoveries, ...operators });
  return new Recover({ recoveries, chain, read, marginBlocks, logger });
}

function letGo({ relay, publisher, chain, prisma, database }: Ground): Promise<void> {
  return stopInOrder(
    () => relay.stop(),
    () => publisher.close(),
    () => chain.close(),
    () => prisma.$disconnect(),
    () => database.close(),
  );
}
