import { historyV1, policyV1, swapV1, walletV1 } from '@agent-wallet/contracts';
import { openRpcClient, type RpcClient, type TlsIdentity } from '@agent-wallet/platform';

/** Channels to the services that the gateway calls. */
export interface Clients {
  readonly wallet: RpcClient<typeof walletV1.WalletServiceService>;
  readonly swap: RpcClient<typeof swapV1.SwapServiceService>;
  readonly policy: RpcClient<typeof policyV1.PolicyServiceService>;
  readonly history: RpcClient<typeof historyV1.HistoryServiceService>;
  close(): void;
}

/** Where the services are: `host:port` each. */
export interface ServiceAddresses {
  readonly walletAddress: string;
  readonly swapAddress: string;
  readonly policyAddress: string;
  readonly historyAddress: string;
}

/** Opens the channels; they connect by themselves. */
export function openClients(addresses: ServiceAddresses, tls: TlsIdentity): Clients {
  const wallet = openRpcClient({
    name: 'agentwallet.wallet.v1.WalletService',
    definition: walletV1.WalletServiceService,
    peer: { address: addresses.walletAddress, service: 'wallet' },
    tls,
  });
  const swap = openRpcClient({
    name: 'agentwallet.swap.v1.SwapService',
    definition: swapV1.SwapServiceService,
    peer: { address: addresses.swapAddress, service: 'swap' },
    tls,
  });
  const policy = openRpcClient({
    name: 'agentwallet.policy.v1.PolicyService',
    definition: policyV1.PolicyServiceService,
    peer: { address: addresses.policyAddress, service: 'policy' },
    tls,
  });
  const history = openRpcClient({
    name: 'agentwallet.history.v1.HistoryService',
    definition: historyV1.HistoryServiceService,
    peer: { address: addresses.historyAddress, service: 'history' },
    tls,
  });
  return {
    wallet,
    swap,
    policy,
    history,
    close: () => [wallet, swap, policy, history].forEach((client) => client.close()),
  };
}
