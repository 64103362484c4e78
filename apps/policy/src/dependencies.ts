import { createOutbox, openEventPublisher, startRelay } from '@agent-wallet/events';
import type { Clock } from '@agent-wallet/kernel';
import { type Database, type Logger, openDatabase, stopInOrder } from '@agent-wallet/platform';
import { acceptedPrices, chainPriceClock, freshPrices, openPriceReader, type UsdPrices } from '@agent-wallet/prices';
import { openSolanaChain, type SolanaChain } from '@agent-wallet/solana';
import { PrismaPg } from '@prisma/adapter-pg';
import { ChainLandedSignatures } from './adapters/chain-landed-signatures.js';
import { openPermitKeys, type PermitKeyFolder } from './adapters/permit-key-folder.js';
import { PostgresAcceptedPriceStore } from './adapters/postgres-accepted-price-store.js';
import { PostgresFreezeStore } from './adapters/postgres-freeze-store.js';
import { PostgresHeadLog } from './adapters/postgres-head-log.js';
import { PostgresPolicyStore } from './adapters/postgres-policy-store.js';
import { PostgresRecoveryStore } from './adapters/postgres-recovery-store.js';
import { PostgresReservationStore } from './adapters/postgres-reservation-store.js';
import { FindOutcome } from './application/outcomes/find-outcome.js';
import type { IntentTerms } from './application/permits/read-intent.js';
import { PrismaClient } from './generated/prisma/client.js';
import type { FreezeStore } from './ports/freeze-store.js';
import type { HeadLog } from './ports/head-log.js';
import type { PermitSigner } from './ports/permit-signer.js';
import type { PolicyStore } from './ports/policy-store.js';
import type { RecoveryStore } from './ports/recovery-store.js';
import type { ReservationStore } from './ports/reservation-store.js';
import type { PolicySettings } from './settings.js';

const SCHEMA = 'policy';
const DATABASE_CONNECTIONS = 20;

/** What the use cases work with. */
export interface PolicyDependencies {
  readonly policies: PolicyStore;
  readonly reservations: ReservationStore;
  readonly freezes: FreezeStore;
  readonly recoveries: RecoveryStore;
  readonly terms: IntentTerms;
  readonly chain: SolanaChain;
  readonly prices: UsdPrices;
  /** The same prices, of which nothing is written down. */
  readonly pricesForDryRuns: UsdPrices;
  readonly permits: PermitSigner;
  readonly outcomes: FindOutcome;
  readonly clock: Clock;
}

/** Dependencies that were opened, what runs beside the callers, and how all of it is closed. */
export interface OpenDependencies extends PolicyDependencies {
  readonly logger: Logger;
  readonly database: Database;
  readonly heads: HeadLog;
  readonly permitFolder: PermitKeyFolder;
  readonly close: () => Promise<void>;
}

/** Opens everything that the service works with, and begins to relay its events. @throws SettingsError */
export async function openDependencies(
  settings: PolicySettings,
  { clock, logger }: { readonly clock: Clock; readonly logger: Logger },
): Promise<OpenDependencies> {
  const permitFolder = await openPermitKeys(settings.permitKeysPath, settings.permitKeyId, logger);
  const connection = settings.database;
  const database = openDatabase({ connection, schema: SCHEMA, logger, maxConnections: DATABASE_CONNECTIONS });
  const prisma = new PrismaClient({ adapter: new PrismaPg(database.pool, { schema: SCHEMA }) });
  const publisher = openEventPublisher(settings.stream, { database, source: SCHEMA, logger });
  const chain = openSolanaChain({ rpcUrl: settings.solanaRpcUrl, clock });
  const relay = startRelay(database, publisher, logger);
  const heads = new PostgresHeadLog(database);
  const outbox = createOutbox(SCHEMA, clock);
  const { sponsor, feeWalletAddress, swaps, treasury } = settings;
  const close = () =>
    stopInOrder(
      () => relay.stop(),
      () => publisher.close(),
      () => chain.close(),
      () => prisma.$disconnect(),
      () => database.close(),
    );
  return {
    policies: new PostgresPolicyStore(database, prisma, outbox),
    reservations: new PostgresReservationStore(database, sponsor, treasury.maxPayoutsPerDay, clock),
    freezes: new PostgresFreezeStore(database, outbox),
    recoveries: new PostgresRecoveryStore(database, outbox),
    terms: {
      ...{ sponsorAddress: sponsor.address, feeWalletAddress, treasuryAddress: treasury.address },
      ...{ bounds: sponsor, swaps },
    },
    ...openPrices(settings, { clock, chain, database }),
    permits: permitFolder.signer,
    outcomes: new FindOutcome(chain, new ChainLandedSignatures(chain), heads, settings.deathMarginBlocks),
    ...{ chain, clock, logger, database, heads, permitFolder, close },
  };
}

function openPrices(
  settings: PolicySettings,
  { clock, chain, database }: { readonly clock: Clock; readonly chain: SolanaChain; readonly database: Database },
) {
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
