import {
  gatewayV1,
  historyV1,
  operationsV1,
  policyV1,
  predictionV1,
  signerV1,
  swapV1,
  walletV1,
} from '@agent-wallet/contracts';
import { loadTls, openRpcClient, type RpcClient } from '@agent-wallet/platform';
import type { ServiceDefinition } from '@grpc/grpc-js';
import type { Service } from '../../src/infrastructure/infrastructure.js';
import type { Deployment } from './deployment.js';

const operations = operationsV1.OperationsServiceService;

/** Every gRPC service, and whose processes serve it. */
export const RPC = {
  gateway: { service: 'gateway', definition: gatewayV1.GatewayOperatorServiceService },
  policy: { service: 'policy', definition: policyV1.PolicyServiceService },
  recoveries: { service: 'policy', definition: policyV1.RecoveryServiceService },
  owners: { service: 'policy', definition: policyV1.OwnerServiceService },
  tokens: { service: 'policy', definition: policyV1.TokenServiceService },
  signer: { service: 'signer', definition: signerV1.SignerServiceService },
  dataKeys: { service: 'signer', definition: signerV1.KeyServiceService },
  wallet: { service: 'wallet', definition: walletV1.WalletServiceService },
  walletOperations: { service: 'wallet', definition: operations },
  swap: { service: 'swap', definition: swapV1.SwapServiceService },
  swapOperations: { service: 'swap', definition: operations },
  prediction: { service: 'prediction', definition: predictionV1.PredictionServiceService },
  catalog: { service: 'prediction', definition: predictionV1.CatalogServiceService },
  ledger: { service: 'prediction', definition: predictionV1.LedgerServiceService },
  predictionOperations: { service: 'prediction', definition: operations },
  history: { service: 'history', definition: historyV1.HistoryServiceService },
} as const;

/** Calls a copy of a service with the genuine certificate of another one. */
export async function impersonate<Target extends keyof typeof RPC>(
  deployment: Deployment,
  as: Service | 'ops',
  target: Target,
  copy = 0,
): Promise<RpcClient<(typeof RPC)[Target]['definition'] & ServiceDefinition>> {
  const { service, definition } = RPC[target];
  return openRpcClient({
    definition,
    peer: { address: deployment.grpcAddressOf(`${service}-${copy}`), service },
    tls: await loadTls(deployment.infrastructure.certificates[as]),
  });
}
