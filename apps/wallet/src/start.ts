import { type AttestedSigner, openAttestedSigner } from '@agent-wallet/attestation/service';
import { policyV1, signerV1, walletV1 } from '@agent-wallet/contracts';
import { type Clock, systemClock } from '@agent-wallet/kernel';
import {
  crashAt,
  noCheckpoint,
  findOperation,
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
  stopInOrder,
  type TlsIdentity,
} from '@agent-wallet/platform';
import {
  chainPriceClock,
  freshPrices,
  openPriceReader,
  openVerifiedTokens,
  type PriceClock,
  type UsdPrices,
  type VerifiedTokens,
} from '@agent-wallet/prices';
import { openNewSlots, openSolanaChain } from '@agent-wallet/solana';
import { PrismaPg } from '@prisma/adapter-pg';
import { StoredWallets } from './adapters/stored-wallets.js';
import { reportWallets } from './adapters/report-wallets.js';
import { OperatorFees } from './application/operator-fees.js';
import { EarlierAttempts } from './application/earlier-attempts.js';
import { MoveKind, MOVES } from './application/move-kind.js';
import { TransferKind } from './application/transfer-kind.js';
import { UnwrapKind } from './application/unwrap-kind.js';
import { type DepositWatch, type DepositWatchOptions, watchDeposits } from './deposits/watch-deposits.js';
import type { Operator } from './domain/operator.js';
import { OwnLandings } from './domain/own-landings.js';
import { PrismaClient } from './generated/prisma/client.js';
import { WALLET_CALLERS } from './grpc/callers.js';
import { WalletController } from './grpc/wallet.controller.js';
import type { WalletSettings } from './settings.js';
import { WalletModule, type WalletParts } from './wallet.module.js';

const SCHEMA = 'wallet';
const DEPOSIT_CONNECTIONS = 8;
const DEPOSIT_GRACE_MS = 2_000;

/** What a test may replace. */
export interface WalletSeams extends OperationSeams {
  readonly deposits?: Pick<DepositWatchOptions, 'pace' | 'checkpoint'>;
}

/** What is opened before all else: without an attested signer nothing starts that asks for one. */
interface Doors {
  readonly tls: TlsIdentity;
  readonly signers: AttestedSigner;
}

/** What was opened, and how it is closed. */
interface Opened extends WalletParts {
  /** Closes what serves operations, once none is carried out here any more. */
  readonly close: () => Promise<void>;
}

/** Starts the wallet service on a migrated schema, and takes up the operations that others left. */
export async function startWallet(settings: WalletSettings, seams: WalletSeams = {}): Promise<RunningGrpcService> {
  const logger = seams.logger ?? createLogger('wallet', settings.logLevel);
  const tls = await loadTls(settings.tls, { logger });
  const { clock = systemClock } = seams;
  const { signerAddress: address, signerAttestationPolicyPath: policyPath } = settings;
  const signers = await openAttestedSigner({ address, policyPath, tls, clock, logger });
  const parts = open(settings, { ...seams, logger }, { tls, signers });
  const served = [{ definition: walletV1.WalletServiceService, callers: WALLET_CALLERS, controller: WalletController }];
  const { engine, close } = parts;
  return serveOperations(
    { name: 'wallet', module: WalletModule.with(parts), served, engine, close },
    { address: settings.grpcAddress, healthAddress: settings.healthAddress, tls, logger },
  );
}

function open(
  settings: WalletSettings,
  seams: WalletSeams & { readonly logger: Logger },
  { tls, signers }: Doors,
): Opened {
  const { logger, clock = systemClock } = seams;
  const checkpoint = seams.checkpoint ?? (settings.crashAt ? crashAt(settings.crashAt) : noCheckpoint);
  const database = openDatabase({ connection: settings.database, schema: SCHEMA, logger });
  const prisma = new PrismaClient({ adapter: new PrismaPg(database.pool, { schema: SCHEMA }) });
  const chain = openSolanaChain({ rpcUrl: settings.solanaRpcUrl });
  const newSlots = openNewSlots({ wsUrl: settings.solanaWsUrl });
  const peers = openPeers(settings, tls);
  const signer = signers.guard(peers.signer);
  const publisher = openEventPublisher(settings.stream, { database, source: SCHEMA, logger });
  const relay = startEventRelay(database, { publisher, place: 'transfer.before-publishing', checkpoint, logger });
  const wallets = new StoredWallets(prisma, database.pool, clock);
  const priceClock = chainPriceClock({ chain, clock });
  const prices = openPrices(settings, priceClock, clock);
  const earlier = new EarlierAttempts((id) => findOperation(database, MOVES, id), peers.policy);
  const landings = new OwnLandings();
  const work = { wallets, chain, prices, operator: operatorOf(settings), earlier, landings, logger };
  const { transfers, unwraps, moves } = kindsOf(work);
  const kinds = [transfers, unwraps, moves];
  const engine = new OperationEngine({
    ...{ source: 'wallet', database, kinds },
    ...{ ...peers, signer, chain, newSlots, clock, logger, checkpoint },
    ...(seams.pace ? { pace: seams.pace } : {}),
  });
  const desk = new OperatorDesk({
    ...{ source: 'wallet', database, chain, clock, kinds },
    ...{ outbox: createOutbox('wallet', clock), recoveries: peers.recoveries },
  });
  const reporting = reportWallets(database.pool, peers.recoveries, logger);
  const watching = { ...seams.deposits, pool: database.pool, landings, clock, logger };
  const deposits = openDeposits(settings, watching, priceClock);
  const keys = { createKey: async (agentId: string) => (await peers.signer.createKey({ agentId })).address };
  const close = () =>
    stopInOrder(
      () => Promise.all([deposits.stop(), reporting.stop()]),
      () => relay.stop(),
      () => [...Object.values(peers), signers, chain, newSlots].forEach((door) => door.close()),
      () => prisma.$disconnect(),
      () => database.close(),
    );
  return {
    ...{ keys, tokens: openTokens(settings, clock), policy: peers.policy },
    ...{ ...work, transfers, unwraps, moves, engine, desk, signers, close },
  };
}

/** What the wallet service carries out. */
function kindsOf({
  prices,
  landings,
  earlier,
  ...work
}: Pick<WalletParts, 'wallets' | 'chain' | 'prices' | 'operator' | 'earlier' | 'logger'> & {
  readonly landings: OwnLandings;
}) {
  const fees = new OperatorFees(work.operator, prices, work.logger);
  return {
    transfers: new TransferKind({ ...work, fees, landings }),
    unwraps: new UnwrapKind(work),
    moves: new MoveKind({ ...work, earlier, landings }),
  };
}

function operatorOf(settings: WalletSettings): Operator {
  const { sponsorAddress, isSponsoring, feeWalletAddress: feeWallet, treasuryAddress: treasury } = settings;
  return { sponsor: isSponsoring ? sponsorAddress : undefined, feeWallet, treasury, fees: settings.transferFees };
}

/** Over connections of its own, so that a long search holds up no transfer. */
function openDeposits(
  { solanaRpcUrl: rpcUrl, sponsorAddress, feeWalletAddress, treasuryAddress }: WalletSettings,
  options: Omit<DepositWatchOptions, 'chain' | 'operators' | 'witness'>,
  witness: PriceClock,
): DepositWatch {
  const chain = openSolanaChain({ rpcUrl, clock: options.clock, maxConnections: DEPOSIT_CONNECTIONS });
  const operators = [sponsorAddress, feeWalletAddress, treasuryAddress].filter((address) => address !== undefined);
  const watch = watchDeposits({ ...options, chain, operators, witness });
  const stop = async (): Promise<void> => {
    // A node that does not answer holds up nobody's end.
    const impatience = setTimeout(() => chain.close(), DEPOSIT_GRACE_MS);
    await watch.stop().finally(() => clearTimeout(impatience));
    chain.close();
  };
  return { stop };
}

function openPeers({ policyAddress, signerAddress }: WalletSettings, tls: TlsIdentity) {
  return {
    policy: openRpcClient({
      definition: policyV1.PolicyServiceService,
      peer: { address: policyAddress, service: 'policy' },
      tls,
    }),
    recoveries: openRpcClient({
      definition: policyV1.RecoveryServiceService,
      peer: { address: policyAddress, service: 'policy' },
      tls,
    }),
    signer: openRpcClient({
      definition: signerV1.SignerServiceService,
      peer: { address: signerAddress, service: 'signer' },
      tls,
    }),
  };
}

function openPrices(settings: WalletSettings, priceClock: PriceClock, clock: Clock): UsdPrices {
  const { jupiterBaseUrl: baseUrl, jupiterApiKey: apiKey } = settings;
  const reader = openPriceReader({ baseUrl, clock, ...(apiKey ? { apiKey } : {}) });
  return freshPrices({ reader, priceClock, clock, maxAgeMs: settings.priceMaxAgeMs });
}

function openTokens({ jupiterBaseUrl: baseUrl, jupiterApiKey: apiKey }: WalletSettings, clock: Clock): VerifiedTokens {
  return openVerifiedTokens({ baseUrl, clock, ...(apiKey ? { apiKey } : {}) });
}
