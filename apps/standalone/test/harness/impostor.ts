import { gatewayV1, historyV1, policyV1, signerV1, swapV1, walletV1 } from '@agent-wallet/contracts';
import { loadTls, openRpcClient, type RpcClient } from '@agent-wallet/platform';
import type { ServiceDefinition } from '@grpc/grpc-js';
import type { Service } from '../../src/infrastructure/infrastructure.js';
import type { Deployment } from './deployment.js';

/** Every gRPC service, by the name of its processes. */
export const RPC = {
  gateway: {
    name: 'agentwallet.gateway.v1.GatewayOperatorService',
    definition: gatewayV1.GatewayOperatorServiceService,
  },
  policy: {
    name: 'agentwallet.policy.v1.PolicyService',
    definition: policyV1.PolicyServiceService,
  },
  signer: { name: 'agentwallet.signer.v1.SignerService', definition: signerV1.SignerServiceService },
  wallet: {
    name: 'agentwallet.wallet.v1.WalletService',
    definition: walletV1.WalletServiceService,
  },
  swap: { name: 'agentwallet.swap.v1.SwapService', definition: swapV1.SwapServiceService },
  history: {
    name: 'agentwallet.history.v1.HistoryService',
    definition: historyV1.HistoryServiceService,
  },
} as const;

/** Calls a copy of a service with the genuine certificate of another one. */
export async function impersonate<Target extends keyof typeof RPC>(
  deployment: Deployment,
  as: Service | 'ops',
  target: Target,
  copy = 0,
): Promise<RpcClient<(typeof RPC)[Target]['definition'] & ServiceDefinition>> {
  const { name, definition } = RPC[target];
  return openRpcClient({
    name,
    definition: definition,
    peer: { address: deployment.grpcAddressOf(`${target}-${copy}`), service: target },
    tls: await loadTls(deployment.infrastructure.certificates[as]),
  });
}
