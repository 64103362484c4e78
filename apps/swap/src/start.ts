import { type AttestedSigner, openAttestedSigner } from '@agent-wallet/attestation/service';
import { policyV1, signerV1, swapV1, walletV1 } from '@agent-wallet/contracts';
import { systemClock } from '@agent-wallet/kernel';
import {
  crashAt,
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
  stopInOrder,
  type TlsIdentity,
} from '@agent-wallet/platform';
import { openNewSlots, openSolanaChain } from '@agent-wallet/solana';
import { JupiterAggregator } from './adapters/jupiter-aggregator.js';
import { JupiterHttp } from './adapters/jupiter-http.js';
import { StoredAllowance } from './adapters/stored-allowance.js';
import { TradeKind } from './application/trade-kind.js';
import { SWAP_CALLERS } from './grpc/callers.js';
import { SwapController } from './grpc/swap.controller.js';
import type { SwapSettings } from './settings.js';
import { SwapModule, type SwapModuleParts } from './swap.module.js';

const SCHEMA = 'swap';

/** What a test may replace. */
export type SwapSeams = OperationSeams;

/** What is opened before all else: without an attested signer nothing starts that asks for one. */
interface Doors {
  readonly tls: TlsIdentity;
  readonly signers: AttestedSigner;
}

/** What was opened, and how it is closed. */
interface Opened extends SwapModuleParts {
  /** Closes what serves operations, once none is carried out here any more. */
  readonly close: () => Promise<void>;
}

/** Starts the swap service on a migrated schema, and takes up the operations that others left. */
export async function startSwap(settings: SwapSettings, seams: SwapSeams = {}): Promise<RunningGrpcService> {
  const logger = seams.logger ?? createLogger('swap', settings.logLevel);
  const tls = await loadTls(settings.tls, { logger });
  const { clock = systemClock } = seams;
  const { signerAddress: address, signerAttestationPolicyPath: policyPath } = settings;
  const signers = await openAttestedSigner({ address, policyPath, tls, clock, logger });
  const parts = open(settings, { ...seams, logger }, { tls, signers });
  const served = [{ definition: swapV1.SwapServiceService, callers: SWAP_CALLERS, controller: SwapController }];
  const { engine, close } = parts;
  return serveOperations(
    { name: 'swap', module: SwapModule.with(parts), served, engine, close },
    { address: settings.grpcAddress, healthAddress: settings.healthAddress, tls, logger },
  );
}

function open(settings: SwapSettings, seams: SwapSeams & { readonly logger: Logger }, { tls, signers }: Doors): Opened {
  const { logger, clock = systemClock } = seams;
  const checkpoint = seams.checkpoint ?? (settings.crashAt ? crashAt(settings.crashAt) : noCheckpoint);
  const database = openDatabase({ connection: settings.database, schema: SCHEMA, logger });
  const chain = openSolanaChain({ rpcUrl: settings.solanaRpcUrl });
  const newSlots = openNewSlots({ wsUrl: settings.solanaWsUrl });
  const peers = openPeers(settings, tls);
  const signer = signers.guard(peers.signer);
  const publisher = openEventPublisher(settings.stream, { database, source: SCHEMA, logger });
  const relay = startEventRelay(database, { publisher, place: 'trade.before-publishing', checkpoint, logger });
  const http = new JupiterHttp({ baseUrl: settings.jupiterBaseUrl, apiKey: settings.jupiterApiKey, clock });
  const { jupiterSwapPath: swapPath, jupiterRequestsPerMinute: questionsPerMinute, limits } = settings;
  const allowance = new StoredAllowance(database.pool, { questionsPerMinute });
  const { allowsCosigned } = limits;
  const aggregator = new JupiterAggregator({ http, allowance, swapPath, allowsCosigned, clock, logger });
  const trades = new TradeKind({ wallets: peers.wallet, chain, aggregator, limits, logger });
  const engine = new OperationEngine({
    source: 'swap',
    database,
    kinds: [trades],
    ...{ policy: peers.policy, recoveries: peers.recoveries, signer, chain, newSlots, clock, logger, checkpoint },
    ...(seams.pace ? { pace: seams.pace } : {}),
  });
  const { recoveries } = peers;
  const outbox = createOutbox('swap', clock);
  const desk = new OperatorDesk({ source: 'swap', database, chain, clock, outbox, kinds: [trades], recoveries });
  const close = () =>
    stopInOrder(
      () => relay.stop(),
      () => [...Object.values(peers), signers, chain, newSlots, http].forEach((door) => door.close()),
      () => database.close(),
    );
  return { trades, engine, policy: peers.policy, desk, close };
}

function openPeers({ policyAddress, signerAddress, walletAddress }: SwapSettings, tls: TlsIdentity) {
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
    wallet: openRpcClient({
      definition: walletV1.WalletServiceService,
      peer: { address: walletAddress, service: 'wallet' },
      tls,
    }),
  };
}
