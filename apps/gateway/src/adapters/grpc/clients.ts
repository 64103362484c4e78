import { historyV1, policyV1, walletV1 } from '@agent-wallet/contracts';
import { openRpcClient, type RpcClient, type TlsIdentity } from '@agent-wallet/platform';

/** Channels to the services that the gateway calls. */
export interface Clients {
  readonly wallet: RpcClient<typeof walletV1.WalletServiceService>;
  readonly policy: RpcClient<typeof policyV1.PolicyServiceService>;
  readonly history: RpcClient<typeof historyV1.HistoryServiceService>;
  close(): void;
}

/** Opens the channels; they connect by themselves. */
export function openClients(
  addresses: { readonly walletAddress: string; readonly policyAddress: string; readonly historyAddress: string },
  tls: TlsIdentity,
): Clients {
  const wallet = openRpcClient({
    name: 'agentwallet.wallet.v1.WalletService',
    definition: walletV1.WalletServiceService,
    peer: { address: addresses.walletAddress, service: 'wallet' },
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
    policy,
    history,
    close: () => [wallet, policy, history].forEach((client) => client.close()),
  };
}
