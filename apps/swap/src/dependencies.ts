import type { AttestedSigner } from '@agent-wallet/attestation/service';
import { policyV1, signerV1, walletV1 } from '@agent-wallet/contracts';
import { createOutbox, openEventPublisher } from '@agent-wallet/events';
import type { Clock } from '@agent-wallet/kernel';
import {
  crashAtPlaceIn,
  noCheckpoint,
  OperationEngine,
  type OperationSeams,
  OperatorDesk,
  startEventRelay,
} from '@agent-wallet/operations';
import { type Logger, openDatabase, openRpcClient, stopInOrder, type TlsIdentity } from '@agent-wallet/platform';
import { openNewSlots, openSolanaChain } from '@agent-wallet/solana';
import { JupiterAggregator } from './adapters/jupiter-aggregator.js';
import { JupiterHttp } from './adapters/jupiter-http.js';
import { PostgresRequestBudget } from './adapters/postgres-request-budget.js';
import { TradeHandler } from './application/trade-handler.js';
import type { PolicyCheck } from './ports/policy-check.js';
import type { SwapSettings } from './settings.js';

const SCHEMA = 'swap';

/** What the use cases work with. */
export interface SwapDependencies {
  readonly trades: TradeHandler;
  readonly engine: OperationEngine;
  readonly policy: PolicyCheck;
  readonly desk: OperatorDesk;
}

/** What a test may replace. */
export type SwapOverrides = OperationSeams;

/** Dependencies that were opened, and how they are closed. */
interface OpenDependencies extends SwapDependencies {
  /** Closes what serves operations, once none is carried out here any more. */
  readonly close: () => Promise<void>;
}

/** Opens everything that the service works with. */
export function openDependencies(
  settings: SwapSettings,
  overrides: SwapOverrides & { readonly logger: Logger; readonly clock: Clock },
  { tls, signers }: { readonly tls: TlsIdentity; readonly signers: AttestedSigner },
): OpenDependencies {
  const { logger, clock } = overrides;
  const checkpoint = overrides.checkpoint ?? (settings.crashAtPath ? crashAtPlaceIn(settings.crashAtPath) : noCheckpoint);
  const database = openDatabase({ connection: settings.database, schema: SCHEMA, logger });
  const chain = openSolanaChain({ rpcUrl: settings.solanaRpcUrl });
  const newSlots = openNewSlots({ wsUrl: settings.solanaWsUrl });
  const peers = openPeers(settings, tls);
  const signer = signers.guard(peers.signer);
  const publisher = openEventPublisher(settings.stream, { database, source: SCHEMA, logger });
  const relay = startEventRelay(database, { publisher, place: 'trade.before-publishing', checkpoint, logger });
  const http = new JupiterHttp({ baseUrl: settings.jupiterBaseUrl, apiKey: settings.jupiterApiKey, clock });
  const { jupiterSwapPath: swapPath, jupiterRequestsPerMinute: requestsPerMinute, limits } = settings;
  const budget = new PostgresRequestBudget(database.pool, { requestsPerMinute });
  const { allowsCosigned } = limits;
  const aggregator = new JupiterAggregator({ http, budget, swapPath, allowsCosigned, clock, logger });
  const trades = new TradeHandler({ wallets: peers.wallet, chain, aggregator, limits, logger });
  const engine = new OperationEngine({
    source: 'swap',
    database,
    kinds: [trades],
    ...{ policy: peers.policy, recoveries: peers.recoveries, signer, chain, newSlots, clock, logger, checkpoint },
    ...(overrides.pace ? { pace: overrides.pace } : {}),
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
