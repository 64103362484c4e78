import { gatewayV1, policyV1, swapV1, walletV1 } from '@agent-wallet/contracts';
import { loadTls, openRpcClient, type RpcClient } from '@agent-wallet/platform';
import type { OpsSettings } from './settings.js';

/** The services that an operator talks to. */
export interface Services {
  readonly policy: RpcClient<typeof policyV1.PolicyServiceService>;
  readonly wallet: RpcClient<typeof walletV1.WalletServiceService>;
  readonly swap: RpcClient<typeof swapV1.SwapServiceService>;
  readonly gateway: RpcClient<typeof gatewayV1.GatewayOperatorServiceService>;
  close(): void;
}

/** Opens the channels; they connect by themselves. */
export async function openServices(settings: OpsSettings): Promise<Services> {
  const tls = await loadTls(settings.tls);
  const policy = openRpcClient({
    name: 'agentwallet.policy.v1.PolicyService',
    definition: policyV1.PolicyServiceService,
    peer: { address: settings.policyAddress, service: 'policy' },
    tls,
  });
  const wallet = openRpcClient({
    name: 'agentwallet.wallet.v1.WalletService',
    definition: walletV1.WalletServiceService,
    peer: { address: settings.walletAddress, service: 'wallet' },
    tls,
  });
  const swap = openRpcClient({
    name: 'agentwallet.swap.v1.SwapService',
    definition: swapV1.SwapServiceService,
    peer: { address: settings.swapAddress, service: 'swap' },
    tls,
  });
  const gateway = openRpcClient({
    name: 'agentwallet.gateway.v1.GatewayOperatorService',
    definition: gatewayV1.GatewayOperatorServiceService,
    peer: { address: settings.gatewayAddress, service: 'gateway' },
    tls,
  });
  const all = [policy, wallet, swap, gateway];
  return { policy, wallet, swap, gateway, close: () => all.forEach((client) => client.close()) };
}
