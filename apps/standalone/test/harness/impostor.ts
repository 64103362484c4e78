import { historyV1, policyV1, signerV1, walletV1 } from '@agent-wallet/contracts';
import { loadTls, openRpcClient, type RpcClient } from '@agent-wallet/platform';
import type { ServiceDefinition } from '@grpc/grpc-js';
import type { Service } from '../../src/infrastructure/infrastructure.js';
import type { Deployment } from './deployment.js';

/** Every gRPC service, by the process that serves it. */
export const RPC = {
  policy: {
    process: 'policy-0',
    name: 'agentwallet.policy.v1.PolicyService',
    definition: policyV1.PolicyServiceService,
  },
  signer: { process: 'signer', name: 'agentwallet.signer.v1.SignerService', definition: signerV1.SignerServiceService },
  wallet: {
    process: 'wallet-0',
    name: 'agentwallet.wallet.v1.WalletService',
    definition: walletV1.WalletServiceService,
  },
  history: {
    process: 'history',
    name: 'agentwallet.history.v1.HistoryService',
    definition: historyV1.HistoryServiceService,
  },
} as const;

/** Calls a service with the genuine certificate of another one. */
export async function impersonate<Target extends keyof typeof RPC>(
  deployment: Deployment,
  as: Service,
  target: Target,
): Promise<RpcClient<(typeof RPC)[Target]['definition'] & ServiceDefinition>> {
  const { process, name, definition } = RPC[target];
  return openRpcClient({
    name,
    definition: definition,
    peer: { address: deployment.addressOf(process), service: target },
    tls: await loadTls(deployment.infrastructure.certificates[as]),
  });
}
