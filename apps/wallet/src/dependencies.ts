import type { AttestedSigner, SignerReplicas } from '@agent-wallet/attestation/service';
import { policyV1, signerV1 } from '@agent-wallet/contracts';
import type { Clock, SolanaNetwork } from '@agent-wallet/kernel';
import {
  findOperation,
  openOperationBase,
  openOperations,
  type OperationEngine,
  type OperationOverrides,
  type OperatorService,
} from '@agent-wallet/operations';
import { type Database, type Logger, openRpcClient, stopInOrder, type TlsIdentity } from '@agent-wallet/platform';
import {
  NO_VERIFIED_TOKENS,
  openVerifiedTokens,
  policyPrices,
  type UsdPrices,
  type VerifiedTokens,
} from '@agent-wallet/prices';
import {
  NodeHealth,
  openNewSlots,
  openNodes,
  openPriorityFees,
  type PriorityFees,
  type SolanaChain,
} from '@agent-wallet/solana';
import { PrismaPg } from '@prisma/adapter-pg';
import { PostgresDepositStore } from './adapters/postgres-deposit-store.js';
import { PostgresWalletStore } from './adapters/postgres-wallet-store.js';
import { PostgresUnreadableStore } from './adapters/postgres-unreadable-store.js';
import { PostgresWatchedAccountStore } from './adapters/postgres-watched-account-store.js';
import type { WalletListener } from './adapters/report-wallets.js';
import type { DepositCheckpoint } from './application/deposits/checkpoint.js';
import type { DepositWatchOptions } from './application/deposits/watch-deposits.js';
import { EarlierAttempts } from './application/moves/earlier-attempts.js';
import { MoveHandler, MOVES } from './application/moves/move-handler.js';
import { DryRunMove, Move } from './application/moves/move.js';
import { OperatorFees } from './application/transfers/operator-fees.js';
import { TransferHandler } from './application/transfers/transfer-handler.js';
import { DryRunTransfer, Transfer } from './application/transfers/transfer.js';
import { UnwrapHandler } from './application/unwraps/unwrap-handler.js';
import { DryRunUnwrap, Unwrap } from './application/unwraps/unwrap.js';
import { CreateWallet } from './application/wallets/create-wallet.js';
import { GetAttestation } from './application/wallets/get-attestation.js';
import { GetBalances } from './application/wallets/get-balances.js';
import { GetToken } from './application/wallets/get-token.js';
import { GetTreasury } from './application/wallets/get-treasury.js';
import { DEPOSIT_TIMING, type DepositTiming } from './domain/deposits/timing.js';
import type { Operator } from './domain/operator.js';
import { TokenRegistry } from './domain/token-registry.js';
import { OwnLandings } from './domain/own-landings.js';
import { PrismaClient } from './generated/prisma/client.js';
import type { KeyMaker } from './ports/key-maker.js';
import type { PolicyCheck } from './ports/policy-check.js';
import type { WalletStore } from './ports/wallet-store.js';
import type { WalletSettings } from './settings.js';

const SCHEMA = 'wallet';

/** Dependencies of the use cases. */
export interface WalletDependencies {
  readonly network: SolanaNetwork;
  readonly registry: TokenRegistry;
  readonly wallets: WalletStore;
  readonly keys: KeyMaker;
  readonly chain: SolanaChain;
  readonly prices: UsdPrices;
  readonly tokens: VerifiedTokens;
  readonly policy: PolicyCheck;
  readonly transfers: TransferHandler;
  readonly unwraps: UnwrapHandler;
  readonly moves: MoveHandler;
  readonly earlier: EarlierAttempts;
  readonly operator: Operator;
  readonly engine: OperationEngine;
  readonly operators: OperatorService;
  readonly signers: Pick<SignerReplicas, 'attest'>;
  readonly logger: Logger;
}

/** Parts that a test may replace. */
export interface WalletOverrides extends OperationOverrides {
  readonly deposits?: { readonly timing?: Partial<DepositTiming>; readonly checkpoint?: DepositCheckpoint };
}

/** Inputs for opening the dependencies. */
interface Opening extends WalletOverrides {
  readonly clock: Clock;
  readonly logger: Logger;
  readonly tls: TlsIdentity;
  readonly signers: AttestedSigner;
}

/** Dependencies that were opened, what runs beside the callers, and how all of it is closed. */
export interface OpenDependencies extends WalletDependencies {
  readonly useCases: WalletUseCases;
  readonly database: Database;
  readonly recoveries: WalletListener;
  /** Dependencies of the search for deposits, over connections of its own. */
  readonly deposits: DepositWatchOptions & { readonly chain: SolanaChain };
  /** Closes what serves operations, once none is carried out here any more. */
  readonly close: () => Promise<void>;
}

/** Inputs for opening the search for deposits. */
interface DepositsOpening extends Opening {
  readonly database: Database;
  readonly landings: OwnLandings;
  readonly registry: TokenRegistry;
  readonly health: NodeHealth;
}

/** Opens everything that the service works with. */
export function openDependencies(settings: WalletSettings, opening: Opening): OpenDependencies {
  const { clock, logger, tls, signers } = opening;
  const base = openOperationBase(settings, {
    ...{ ...opening, source: SCHEMA, beforePublishing: 'transfer.before-publishing' },
  });
  const { database, relay, policy, recoveries } = base;
  const prisma = new PrismaClient({ adapter: new PrismaPg(database.pool, { schema: SCHEMA }) });
  const { solanaRpcUrls: rpcUrls, solanaSendUrls: sendUrls } = settings;
  const health = new NodeHealth(SCHEMA, rpcUrls);
  const chain = openNodes({ rpcUrls, sendUrls, sendLog: logger, health });
  const newSlots = openNewSlots({ wsUrl: settings.solanaWsUrl });
  const signer = openSigner(settings, tls);
  const approvals = openApprovals(settings, tls);
  const wallets = new PostgresWalletStore(prisma, database.pool, clock);
  const prices = policyPrices(policy);
  const { jupiterBaseUrl: baseUrl, jupiterApiKey: apiKey } = settings;
  const tokens =
    baseUrl === undefined ? NO_VERIFIED_TOKENS : openVerifiedTokens({ baseUrl, clock, ...(apiKey ? { apiKey } : {}) });
  const earlier = new EarlierAttempts((id) => findOperation(database, MOVES, id), policy);
  const landings = new OwnLandings();
  const priority = openPriorityFees({ chain, clock, maxLamports: settings.maxPriorityFeeLamports });
  const registry = new TokenRegistry(settings.solanaNetwork);
  const work = {
    ...{ registry, wallets, chain, prices, earlier, landings, priority, logger },
    operator: operatorOf(settings),
  };
  const { transfers, unwraps, moves } = handlersOf(work);
  const peers = { signer: signers.guard(signer), chain, newSlots, approvals, priority };
  const { engine, operators } = openOperations(base, { handlers: [transfers, unwraps, moves], ...peers });
  const deposits = openDeposits(settings, { ...opening, database, landings, registry, health });
  const keys = { createKey: async (agentId: string) => (await signer.createKey({ agentId })).address };
  const close = () =>
    stopInOrder(
      () => relay.stop(),
      () =>
        [policy, recoveries, approvals, signer, signers, chain, deposits.chain, health, newSlots].forEach((door) =>
          door.close(),
        ),
      () => prisma.$disconnect(),
      () => database.close(),
    );
  const network = settings.solanaNetwork;
  const opened = { ...work, network, keys, tokens, policy, transfers, unwraps, moves, engine, operators, signers };
  return { ...opened, useCases: openUseCases(opened), recoveries, database, deposits, close };
}

/** Use cases that callers reach. */
export type WalletUseCases = ReturnType<typeof openUseCases>;

function openUseCases(dependencies: WalletDependencies) {
  const { network, registry, wallets, chain, policy, engine, operator, logger } = dependencies;
  const { transfers, unwraps, moves } = dependencies;
  return {
    ...{ network, wallets, operator },
    creation: new CreateWallet(wallets, dependencies.keys),
    balances: new GetBalances(wallets, chain, dependencies.prices, { registry, logger }),
    tokens: new GetToken(chain, dependencies.tokens, { registry, logger }),
    treasury: new GetTreasury(operator, chain),
    attestations: new GetAttestation(dependencies.signers),
    transfers: new Transfer(wallets, registry, transfers, engine),
    transferDryRuns: new DryRunTransfer(wallets, transfers, { registry, policy, chain }),
    unwraps: new Unwrap(wallets, unwraps, engine),
    unwrapDryRuns: new DryRunUnwrap(unwraps, policy, chain),
    moves: new Move(moves, dependencies.earlier, engine),
    moveDryRuns: new DryRunMove(moves, policy, chain),
  };
}

/** Returns the handlers of the wallet service. */
function handlersOf({
  prices,
  landings,
  earlier,
  ...work
}: Pick<WalletDependencies, 'registry' | 'wallets' | 'chain' | 'prices' | 'operator' | 'earlier' | 'logger'> & {
  readonly landings: OwnLandings;
  readonly priority: PriorityFees;
}) {
  const fees = new OperatorFees(work.operator, prices, work.logger);
  return {
    transfers: new TransferHandler({ ...work, fees, landings }),
    unwraps: new UnwrapHandler(work),
    moves: new MoveHandler({ ...work, earlier, landings }),
  };
}

function operatorOf(settings: WalletSettings): Operator {
  const { sponsorAddress, isSponsoring, feeWalletAddress: feeWallet, treasuryAddress: treasury } = settings;
  return { sponsor: isSponsoring ? sponsorAddress : undefined, feeWallet, treasury, fees: settings.transferFees };
}

/** Opens the search for deposits over connections of its own, so that a long search holds up no transfer. */
function openDeposits(
  { solanaRpcUrls: rpcUrls, depositCallsInFlight, sponsorAddress, feeWalletAddress, treasuryAddress }: WalletSettings,
  { database, landings, registry, health, clock, logger, deposits: overrides }: DepositsOpening,
): OpenDependencies['deposits'] {
  const { pool } = database;
  const timing = { ...DEPOSIT_TIMING, ...overrides?.timing };
  const callsInFlight = depositCallsInFlight;
  const chain = openNodes({ rpcUrls, health, clock, maxConnections: callsInFlight, batchesInFlight: callsInFlight });
  const operators = [sponsorAddress, feeWalletAddress, treasuryAddress].filter((address) => address !== undefined);
  const deposits = new PostgresDepositStore({ pool, registry, clock, timing });
  const watched = new PostgresWatchedAccountStore(pool, timing);
  const unreadable = new PostgresUnreadableStore(pool, timing);
  const { checkpoint } = overrides ?? {};
  const stores = { deposits, watched, unreadable };
  return { chain, ...stores, registry, operators, landings, timing, callsInFlight, clock, logger, checkpoint };
}

function openSigner({ signerAddress: address }: WalletSettings, tls: TlsIdentity) {
  return openRpcClient({
    definition: signerV1.SignerServiceService,
    peer: { address, service: 'signer' },
    tls,
  });
}

function openApprovals({ policyAddress: address }: WalletSettings, tls: TlsIdentity) {
  return openRpcClient({ definition: policyV1.OwnerServiceService, peer: { address, service: 'policy' }, tls });
}
