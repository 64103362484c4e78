import { createOutbox, openEventPublisher, type Outbox, startRelay } from '@agent-wallet/events';
import { type Clock, namedTokens } from '@agent-wallet/kernel';
import { type Database, type Logger, openDatabase, stopInOrder } from '@agent-wallet/platform';
import {
  type AcceptedPrices,
  acceptedPrices,
  chainPriceClock,
  countingPrices,
  freshPrices,
  NO_VERIFIED_TOKENS,
  openPriceApi,
  openPriceReader,
  openVerifiedTokens,
  type Oracle,
  peggedPrices,
  type PeggedTokens,
  pythFeeds,
  pythOracle,
  type PythOracleOptions,
  pythPrices,
  type PythSettings,
  type UsdPrices,
  type VerifiedTokens,
} from '@agent-wallet/prices';
import { NodeHealth, openNodes, type SolanaChain } from '@agent-wallet/solana';
import { ChainLandedSignatures } from './adapters/chain-landed-signatures.js';
import { PostgresApprovalStore } from './adapters/owners/postgres-approval-store.js';
import { PostgresOperationApprovalStore } from './adapters/owners/postgres-operation-approval-store.js';
import { PostgresOwnerStore } from './adapters/owners/postgres-owner-store.js';
import { openPermitKeys, type PermitKeyFolder } from './adapters/permit-key-folder.js';
import { PostgresAcceptedPriceStore } from './adapters/postgres-accepted-price-store.js';
import { PostgresFreezeStore } from './adapters/postgres-freeze-store.js';
import { PostgresHeadLog } from './adapters/postgres-head-log.js';
import { PostgresPolicyStore } from './adapters/postgres-policy-store.js';
import { PostgresRecoveryStore } from './adapters/postgres-recovery-store.js';
import type { OperatorBounds } from './adapters/reservation-rows.js';
import { PostgresReservationStore } from './adapters/postgres-reservation-store.js';
import { PostgresTokenStore } from './adapters/postgres-token-store.js';
import { NO_SCREENING, ScreenedRecipients } from './adapters/screened-recipients.js';
import { SharedPriceSource } from './adapters/shared-price-source.js';
import { FindOutcome } from './application/outcomes/find-outcome.js';
import { Reconcile } from './application/outcomes/reconcile.js';
import { ExpireApprovals } from './application/owners/decide-approvals.js';
import type { OwnerConsole } from './application/owners/owner-console.js';
import { ChainLag } from './application/pricing/chain-lag.js';
import type { IntentTerms } from './application/permits/read-intent.js';
import { ReadWallet } from './application/recovery/read-wallet.js';
import { Recover } from './application/recovery/recover.js';
import type { OwnerSettings } from './domain/owners/owner-settings.js';
import type { ApprovalStore } from './ports/approval-store.js';
import type { FreezeStore } from './ports/freeze-store.js';
import type { HeadLog } from './ports/head-log.js';
import type { OperationApprovalStore } from './ports/operation-approval-store.js';
import type { OwnerStore } from './ports/owner-store.js';
import type { PermitSigner } from './ports/permit-signer.js';
import type { PolicyStore } from './ports/policy-store.js';
import type { RecoveryStore } from './ports/recovery-store.js';
import type { ReservationStore } from './ports/reservation-store.js';
import type { Screening } from './ports/screening.js';
import type { TokenStore } from './ports/token-store.js';
import type { PolicySettings } from './settings.js';

const SCHEMA = 'policy';
const DATABASE_CONNECTIONS = 20;

/** Dependencies of the use cases. */
export interface PolicyDependencies {
  readonly policies: PolicyStore;
  readonly reservations: ReservationStore;
  readonly freezes: FreezeStore;
  readonly recoveries: RecoveryStore;
  readonly owners: OwnerStore;
  readonly approvals: ApprovalStore;
  readonly operationApprovals: OperationApprovalStore;
  readonly tokens: TokenStore;
  /** Undefined where owners are not configured. */
  readonly ownerConsole: OwnerConsole | undefined;
  readonly terms: IntentTerms;
  readonly chain: SolanaChain;
  readonly prices: AcceptedPrices;
  /** Prices that are known and not too old; limits need the accepted ones. */
  readonly knownPrices: UsdPrices;
  readonly verifiedTokens: VerifiedTokens;
  readonly chainLag: ChainLag;
  readonly permits: PermitSigner;
  readonly outcomes: FindOutcome;
  readonly clock: Clock;
}

/** Dependencies that a test may replace. */
export interface PolicyOverrides {
  readonly clock?: Clock;
  readonly logger?: Logger;
  readonly observeHeadEveryMs?: number;
  readonly recoverEveryMs?: number;
  readonly expireApprovalsEveryMs?: number;
  /** Waits between two readings of a price. */
  readonly pause?: (durationMs: number) => Promise<void>;
}

/** Inputs for opening the dependencies. */
export interface Opening extends PolicyOverrides {
  readonly clock: Clock;
  readonly logger: Logger;
}

/** Dependencies that were opened, what runs beside the callers, and how all of it is closed. */
export interface OpenDependencies extends PolicyDependencies {
  readonly logger: Logger;
  readonly database: Database;
  readonly heads: HeadLog;
  readonly permitFolder: PermitKeyFolder;
  readonly reconcile: Reconcile;
  readonly recover: Recover;
  readonly expireApprovals: ExpireApprovals;
  readonly close: () => Promise<void>;
}

/** Opens everything that the service works with, and begins to relay its events. @throws SettingsError */
export async function openDependencies(
  settings: PolicySettings,
  { clock, logger, pause }: Opening,
): Promise<OpenDependencies> {
  const [permitFolder, ownerConsole] = await Promise.all([
    openPermitKeys(settings.permitKeysPath, settings.permitKeyId, logger),
    openConsole(settings.owners),
  ]);
  const connection = settings.database;
  const database = openDatabase({ connection, schema: SCHEMA, logger, maxConnections: DATABASE_CONNECTIONS });
  const publisher = openEventPublisher(settings.stream, { database, source: SCHEMA, logger });
  const health = new NodeHealth(SCHEMA, settings.solanaRpcUrls, clock);
  const chain = openNodes({ rpcUrls: settings.solanaRpcUrls, clock, health });
  const relay = startRelay(database, publisher, logger);
  const heads = new PostgresHeadLog(database);
  const outbox = createOutbox(SCHEMA, clock);
  const { sponsor, treasury, deathMarginBlocks: marginBlocks } = settings;
  const reservations = new PostgresReservationStore(database, boundsOf(settings), clock);
  const recoveries = new PostgresRecoveryStore(database, outbox);
  const landed = new ChainLandedSignatures(chain);
  const outcomes = new FindOutcome({ chain, landed, heads, clock, marginBlocks });
  const priced = openPrices(settings, { clock, chain, database, logger, pause });
  const operators = { sponsor: sponsor.address, treasury: treasury.address };
  const read = new ReadWallet({ chain, clock, prices: priced.prices, recoveries, ...operators });
  const close = () =>
    stopInOrder(
      () => relay.stop(),
      () => publisher.close(),
      () => [chain, health].forEach((each) => each.close()),
      () => database.close(),
    );
  return {
    policies: new PostgresPolicyStore(database, outbox),
    freezes: new PostgresFreezeStore(database, outbox),
    terms: termsOf(settings, openScreening(settings, clock, logger)),
    ...openOwners(database, outbox),
    permits: permitFolder.signer,
    reconcile: new Reconcile(reservations, outcomes, logger),
    recover: new Recover({ recoveries, chain, read, marginBlocks, logger }),
    ...{ ...priced, ownerConsole, reservations, recoveries, outcomes },
    chainLag: new ChainLag({
      clock,
      logger,
      maxAgeMs: maxPriceAgeMs(settings),
    }),
    ...{ chain, clock, logger, database, heads, permitFolder, close },
  };
}

function boundsOf({ sponsor, treasury, requiresOwner }: PolicySettings): OperatorBounds {
  const { maxPayoutsPerDay, maxMovesPerAgentDay: maxTreasuryMovesPerAgentDay } = treasury;
  return { sponsorship: sponsor, maxPayoutsPerDay, maxTreasuryMovesPerAgentDay, requiresOwner };
}

function openScreening({ screenedRecipientsPath: path }: PolicySettings, clock: Clock, logger: Logger): Screening {
  return path === undefined ? NO_SCREENING : new ScreenedRecipients(path, clock, logger);
}

function termsOf(settings: PolicySettings, screening: Screening): IntentTerms {
  const { sponsor, feeWalletAddress, swaps, treasury } = settings;
  return {
    sponsorAddress: sponsor.address,
    feeWalletAddress,
    treasuryAddress: treasury.address,
    bounds: sponsor,
    swaps,
    screening,
  };
}

/** Loads the library that verifies passkeys, only where there are owners. */
async function openConsole(owners: OwnerSettings | undefined): Promise<OwnerConsole | undefined> {
  if (!owners) return undefined;
  const { WebAuthnVerifier } = await import('./adapters/webauthn/webauthn-verifier.js');
  return { ...owners, verifier: new WebAuthnVerifier(owners) };
}

function openOwners(database: Database, outbox: Outbox) {
  const owners = new PostgresOwnerStore(database, outbox);
  const approvals = new PostgresApprovalStore(database, outbox);
  const operationApprovals = new PostgresOperationApprovalStore(database, outbox);
  const tokens = new PostgresTokenStore(database, outbox);
  return { owners, approvals, operationApprovals, tokens, expireApprovals: new ExpireApprovals(approvals, owners) };
}

function openPrices(
  settings: PolicySettings,
  { clock, chain, database, logger, pause }: Opening & { readonly chain: SolanaChain; readonly database: Database },
) {
  const { jupiterBaseUrl: baseUrl, jupiterApiKey: apiKey, priceMaxAgeMs: maxAgeMs, minLiquidityUsd } = settings;
  const aggregator = baseUrl === undefined ? undefined : { baseUrl, clock, ...(apiKey ? { apiKey } : {}) };
  const { priceReadsPerMinute: readsPerMinute } = settings;
  const { pyth, peggedTokens: pegged = new Map() } = settings;
  const priceClock = chainPriceClock({ chain, clock });
  const oracle = pyth && openOracle({ ...pyth, pegged }, { chain, priceClock, clock, logger });
  const store = new PostgresAcceptedPriceStore(database);
  if (!aggregator) {
    const known = peggedPrices({ pegged, market: pythPrices(oracle), clock });
    const prices = acceptedPrices({ counting: known, clock, store, pause });
    return { prices, knownPrices: known, verifiedTokens: NO_VERIFIED_TOKENS };
  }
  const api = openPriceApi(aggregator);
  const favored = namedTokens(settings.solanaNetwork).map(({ mint }) => mint);
  const source = new SharedPriceSource({ pool: database.pool, api, clock, favored, readsPerMinute, pause });
  const known = freshPrices({ reader: openPriceReader({ source, clock }), priceClock, clock, maxAgeMs });
  const counting = countingPrices({ fresh: known, oracle, minLiquidityUsd, clock, pause });
  const prices = acceptedPrices({ counting, clock, store, pause });
  return { prices, knownPrices: known, verifiedTokens: openVerifiedTokens(aggregator) };
}

/** Returns the age in milliseconds up to which the price of every source counts. */
function maxPriceAgeMs({ jupiterBaseUrl, priceMaxAgeMs, pyth }: PolicySettings): number {
  return Math.min(jupiterBaseUrl === undefined ? Infinity : priceMaxAgeMs, pyth?.maxAgeMs ?? Infinity);
}

/** Opens Pyth's prices, and logs once which of them this chain lacks: payments of those tokens are refused. */
function openOracle(
  { pegged, ...pyth }: PythSettings & { readonly pegged: PeggedTokens },
  { logger, ...sources }: Pick<PythOracleOptions, 'chain' | 'priceClock' | 'clock'> & { readonly logger: Logger },
): Oracle {
  const onMissing = (missing: readonly string[]) => {
    const mints = missing.filter((mint) => !pegged.has(mint));
    if (mints.length === 0) return;
    logger.warn(
      { event: 'pyth_accounts.missing', mints },
      'Payments of these tokens are refused: Pyth has no price account of them on this chain. Set ' +
        'PYTH_PUSH_ORACLE_PROGRAM and PYTH_RECEIVER_PROGRAM; or, with JUPITER_BASE_URL, PYTH_ENABLED=false',
    );
  };
  const oracle = pythOracle({ ...sources, ...pyth, onMissing });
  // A chain that does not answer now is read with the first payment.
  oracle.prices(pythFeeds(pyth.programs, pyth.network).map(({ mint }) => mint)).catch(() => undefined);
  return oracle;
}
