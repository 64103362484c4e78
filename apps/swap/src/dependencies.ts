import type { AttestedSigner } from '@agent-wallet/attestation/service';
import { policyV1, signerV1, walletV1 } from '@agent-wallet/contracts';
import type { Clock } from '@agent-wallet/kernel';
import {
  openOperationBase,
  openOperations,
  type OperationEngine,
  type OperationOverrides,
  type OperatorService,
} from '@agent-wallet/operations';
import { type Logger, openRpcClient, stopInOrder, type TlsIdentity } from '@agent-wallet/platform';
import { policyPrices } from '@agent-wallet/prices';
import { isAddress, NodeHealth, openNewSlots, openNodes, openPriorityFees } from '@agent-wallet/solana';
import { JupiterAggregator } from './adapters/jupiter-aggregator.js';
import { JupiterHttp } from './adapters/jupiter-http.js';
import { PostgresKnownPools } from './adapters/postgres-known-pools.js';
import { PostgresRequestBudget } from './adapters/postgres-request-budget.js';
import { RaydiumDirectory } from './adapters/raydium-directory.js';
import { AddLiquidityHandler } from './application/liquidity/add-liquidity-handler.js';
import { FindPools } from './application/liquidity/find-pools.js';
import { ListPositions } from './application/liquidity/list-positions.js';
import { ReadPools } from './application/liquidity/read-pools.js';
import { ProvideLiquidity } from './application/liquidity/provide-liquidity.js';
import { RemoveLiquidityHandler } from './application/liquidity/remove-liquidity-handler.js';
import { TradeHandler } from './application/trade-handler.js';
import { DryRunTrade, Trade } from './application/trade.js';
import { type AddRequest, checkAddition, checkRemoval, type RemoveRequest } from './domain/liquidity/liquidity.js';
import type { PolicyCheck } from './ports/policy-check.js';
import type { SwapSettings } from './settings.js';

/** Use cases that callers reach. */
export interface SwapUseCases {
  readonly trades: Trade;
  readonly dryRunTrades: DryRunTrade;
  readonly additions: ProvideLiquidity<AddRequest>;
  readonly removals: ProvideLiquidity<RemoveRequest>;
  readonly pools: ReadPools;
  readonly positions: ListPositions;
}

/** Dependencies that a test may replace. */
export type SwapOverrides = OperationOverrides;

/** Inputs for opening the dependencies. */
interface Opening extends SwapOverrides {
  readonly clock: Clock;
  readonly logger: Logger;
  readonly tls: TlsIdentity;
  readonly signers: AttestedSigner;
}

/** Use cases that were opened, what carries out operations, and how all of it is closed. */
interface OpenDependencies extends SwapUseCases {
  readonly engine: OperationEngine;
  readonly operators: OperatorService;
  /** Closes what serves operations, once none is carried out here any more. */
  readonly close: () => Promise<void>;
}

/** Opens everything that the service works with. */
export function openDependencies(settings: SwapSettings, opening: Opening): OpenDependencies {
  const { clock, logger, tls, signers } = opening;
  const base = openOperationBase(settings, {
    ...opening,
    source: 'swap',
    beforePublishing: 'trade.before-publishing',
  });
  const { database, relay, policy, recoveries } = base;
  const { solanaRpcUrls: rpcUrls, solanaSendUrls: sendUrls } = settings;
  const health = new NodeHealth('swap', rpcUrls);
  const chain = openNodes({ rpcUrls, sendUrls, sendLog: logger, health });
  const newSlots = openNewSlots({ wsUrl: settings.solanaWsUrl });
  const { signer, wallet, approvals } = openPeers(settings, tls);
  const http = new JupiterHttp({ baseUrl: settings.jupiterBaseUrl, apiKey: settings.jupiterApiKey, clock });
  const { jupiterSwapPath: swapPath, jupiterRequestsPerMinute: requestsPerMinute, limits } = settings;
  const budget = new PostgresRequestBudget(database.pool, { requestsPerMinute });
  const { allowsCosigned } = limits;
  const aggregator = new JupiterAggregator({ http, budget, swapPath, allowsCosigned, clock, logger });
  const trading = { wallets: wallet, chain, aggregator, limits, logger };
  const trades = new TradeHandler({ ...trading, isReal: true });
  const dryTrades = new TradeHandler({ ...trading, isReal: false });
  const prices = policyPrices(policy);
  const known = new PostgresKnownPools(database.pool);
  const directory = new RaydiumDirectory(settings.raydiumApiUrl);
  const finder = new FindPools({ known, directory, clock });
  const pools = new ReadPools({ chain, prices, directory, clock });
  const positions = new ListPositions({ wallets: wallet, chain, known, finder }, pools);
  const priority = openPriorityFees({ chain, clock, maxLamports: settings.maxPriorityFeeLamports });
  const additions = new AddLiquidityHandler({ wallets: wallet, chain, priority, prices, clock, known });
  const removals = new RemoveLiquidityHandler({ wallets: wallet, chain, priority });
  const handlers = [trades, additions, removals];
  const peers = { signer: signers.guard(signer), chain, newSlots, approvals, priority };
  const { engine, operators } = openOperations(base, { handlers, ...peers });
  const close = () =>
    stopInOrder(
      () => relay.stop(),
      () =>
        [policy, recoveries, approvals, signer, wallet, signers, chain, health, newSlots, http, directory].forEach(
          (door) => door.close(),
        ),
      () => database.close(),
    );
  return {
    trades: new Trade(trades, engine),
    dryRunTrades: new DryRunTrade(dryTrades, policy),
    ...liquidityOf({ additions, removals, engine, policy }),
    ...{ pools, positions, engine, operators, close },
  };
}

function liquidityOf({
  additions,
  removals,
  engine,
  policy,
}: Pick<OpenDependencies, 'engine'> & {
  readonly additions: AddLiquidityHandler;
  readonly removals: RemoveLiquidityHandler;
  readonly policy: PolicyCheck;
}): Pick<SwapUseCases, 'additions' | 'removals'> {
  const add = { handler: additions, check: (to: AddRequest) => checkAddition(to, isAddress), direction: 1n } as const;
  const remove = {
    handler: removals,
    check: (to: RemoveRequest) => checkRemoval(to, isAddress),
    direction: -1n,
  } as const;
  return {
    additions: new ProvideLiquidity(add, engine, policy),
    removals: new ProvideLiquidity(remove, engine, policy),
  };
}

function openPeers({ signerAddress, walletAddress, policyAddress }: SwapSettings, tls: TlsIdentity) {
  return {
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
    approvals: openRpcClient({
      definition: policyV1.OwnerServiceService,
      peer: { address: policyAddress, service: 'policy' },
      tls,
    }),
  };
}
