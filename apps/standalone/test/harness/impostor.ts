import { gatewayV1, historyV1, policyV1, signerV1, swapV1, walletV1 } from '@agent-wallet/contracts';
import { loadTls, openRpcClient, type RpcClient } from '@agent-wallet/platform';
import type { ServiceDefinition } from '@grpc/grpc-js';
import type { Service } from '../../src/infrastructure/infrastructure.js';
import type { Deployment } from './deployment.js';

/** Every gRPC service, by the name of its processes. */
export const RPC = {
  gateway: {
    definition: gatewayV1.GatewayOperatorServiceService,
  },
  policy: {
    definition: policyV1.PolicyServiceService,
  },
  signer: { definition: signerV1.SignerServiceService },
  wallet: {
    definition: walletV1.WalletServiceService,
  },
  swap: { definition: swapV1.SwapServiceService },
  history: {
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
  const { definition } = RPC[target];
  return openRpcClient({
    definition,
    peer: { address: deployment.grpcAddressOf(`${target}-${copy}`), service: target },
    tls: await loadTls(deployment.infrastructure.certificates[as]),
  });
}
