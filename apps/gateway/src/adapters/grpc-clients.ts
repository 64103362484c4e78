import { historyV1, policyV1, predictionV1, swapV1, walletV1 } from '@agent-wallet/contracts';
import { openRpcClient, type RpcClient, type TlsIdentity } from '@agent-wallet/platform';

/** Channels to the services that the gateway calls. */
export interface Clients {
  readonly wallet: RpcClient<typeof walletV1.WalletServiceService>;
  /** Undefined in a deployment without trading and liquidity. */
  readonly swap: RpcClient<typeof swapV1.SwapServiceService> | undefined;
  /** Undefined in a deployment without predictions, like `catalog`. */
  readonly prediction: RpcClient<typeof predictionV1.PredictionServiceService> | undefined;
  readonly catalog: RpcClient<typeof predictionV1.CatalogServiceService> | undefined;
  readonly policy: RpcClient<typeof policyV1.PolicyServiceService>;
  readonly owners: RpcClient<typeof policyV1.OwnerServiceService>;
  readonly tokens: RpcClient<typeof policyV1.TokenServiceService>;
  readonly history: RpcClient<typeof historyV1.HistoryServiceService>;
  /** Resolves once all are connected, or the time is over: a service that is away is connected to later. */
  connected(withinMs: number): Promise<void>;
  close(): void;
}

/** Addresses of the services: `host:port` each. */
interface ServiceAddresses {
  readonly walletAddress: string;
  readonly swapAddress?: string | undefined;
  readonly predictionAddress?: string | undefined;
  readonly policyAddress: string;
  readonly historyAddress: string;
}

/** Opens the channels; they connect by themselves. */
export function openClients(addresses: ServiceAddresses, tls: TlsIdentity): Clients {
  const wallet = openRpcClient({
    definition: walletV1.WalletServiceService,
    peer: { address: addresses.walletAddress, service: 'wallet' },
    tls,
  });
  const { swapAddress, predictionAddress } = addresses;
  const swap =
    swapAddress === undefined
      ? undefined
      : openRpcClient({
          definition: swapV1.SwapServiceService,
          peer: { address: swapAddress, service: 'swap' },
          tls,
        });
  const { prediction, catalog } = openPredictions(predictionAddress, tls);
  const policies = { peer: { address: addresses.policyAddress, service: 'policy' }, tls } as const;
  const policy = openRpcClient({
    definition: policyV1.PolicyServiceService,
    ...policies,
  });
  const owners = openRpcClient({
    definition: policyV1.OwnerServiceService,
    ...policies,
  });
  const tokens = openRpcClient({
    definition: policyV1.TokenServiceService,
    ...policies,
  });
  const history = openRpcClient({
    definition: historyV1.HistoryServiceService,
    peer: { address: addresses.historyAddress, service: 'history' },
    tls,
  });
  const clients = { wallet, swap, prediction, catalog, policy, owners, tokens, history };
  const all = Object.values(clients).filter((client) => client !== undefined);
  return {
    ...clients,
    connected: async (withinMs) => void (await Promise.allSettled(all.map((client) => client.connected(withinMs)))),
    close: () => all.forEach((client) => client.close()),
  };
}

function openPredictions(address: string | undefined, tls: TlsIdentity) {
  if (address === undefined) return { prediction: undefined, catalog: undefined };
  const predictions = { peer: { address, service: 'prediction' }, tls } as const;
  return {
    prediction: openRpcClient({ definition: predictionV1.PredictionServiceService, ...predictions }),
    catalog: openRpcClient({ definition: predictionV1.CatalogServiceService, ...predictions }),
  };
}
