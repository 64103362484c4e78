import { gatewayV1, historyV1, operationsV1, policyV1, predictionV1, signerV1 } from '@agent-wallet/contracts';
import { loadTls, openRpcClient, type PeerOptions, type RpcClient } from '@agent-wallet/platform';
import { service as healthService } from 'grpc-health-check';
import type { OpsSettings, SignerPlace } from './settings.js';

/** Stands for a service that the deployment lacks: its commands fail as with one that is away. */
const NOWHERE = '127.0.0.1:1';

/** The services that an operator talks to. */
export interface Services {
  readonly policy: RpcClient<typeof policyV1.PolicyServiceService>;
  readonly recovery: RpcClient<typeof policyV1.RecoveryServiceService>;
  readonly owners: RpcClient<typeof policyV1.OwnerServiceService>;
  readonly gateway: RpcClient<typeof gatewayV1.GatewayOperatorServiceService>;
  /** Ledger of prediction money. */
  readonly ledger: RpcClient<typeof predictionV1.LedgerServiceService>;
  readonly history: RpcClient<typeof historyV1.HistoryServiceService>;
  /** Clients of every service that owns operations. */
  readonly operations: readonly RpcClient<typeof operationsV1.OperationsServiceService>[];
  close(): void;
}

/** Client for the operators' commands on data keys. */
export type KeyService = RpcClient<typeof signerV1.KeyServiceService>;

/** Opens the channel to it. */
export async function openKeyService({ signerAddress, tls }: SignerPlace): Promise<KeyService> {
  return openRpcClient({
    definition: signerV1.KeyServiceService,
    peer: { address: signerAddress, service: 'signer' },
    tls: await loadTls(tls),
  });
}

/** Opens the channels; they connect by themselves. */
export async function openServices(settings: OpsSettings): Promise<Services> {
  const tls = await loadTls(settings.tls);
  const policy = openRpcClient({
    definition: policyV1.PolicyServiceService,
    peer: { address: settings.policyAddress, service: 'policy' },
    tls,
  });
  const recovery = openRpcClient({
    definition: policyV1.RecoveryServiceService,
    peer: { address: settings.policyAddress, service: 'policy' },
    tls,
  });
  const owners = openRpcClient({
    definition: policyV1.OwnerServiceService,
    peer: { address: settings.policyAddress, service: 'policy' },
    tls,
  });
  const operations = operationOwners(settings).map((peer) =>
    openRpcClient({ definition: operationsV1.OperationsServiceService, peer, tls }),
  );
  const gateway = openRpcClient({
    definition: gatewayV1.GatewayOperatorServiceService,
    peer: { address: settings.gatewayAddress, service: 'gateway' },
    tls,
  });
  const ledger = openRpcClient({
    definition: predictionV1.LedgerServiceService,
    peer: { address: settings.predictionAddress ?? NOWHERE, service: 'prediction' },
    tls,
  });
  const history = openRpcClient({
    definition: historyV1.HistoryServiceService,
    peer: { address: settings.historyAddress, service: 'history' },
    tls,
  });
  const all = [policy, recovery, owners, gateway, ledger, history, ...operations];
  const close = () => all.forEach((client) => client.close());
  return { policy, recovery, owners, gateway, ledger, history, operations, close };
}

/** Client of a service's health. */
interface HealthClient {
  /** Returns the health of the whole service: `SERVING`, or another status of grpc.health.v1. */
  check(): Promise<{ readonly status: string }>;
  close(): void;
}

/** Opens a channel to the health of a service. */
export function openHealthClient(
  peer: PeerOptions<typeof healthService>['peer'],
  tls: PeerOptions<typeof healthService>['tls'],
): HealthClient {
  const client = openRpcClient({ definition: healthService, peer, tls });
  const check = client['Check'] as (request: object) => Promise<{ readonly status: string }>;
  return { check: () => check({ service: '' }), close: () => client.close() };
}

/** Lists the services that carry out operations. */
function operationOwners({ walletAddress, swapAddress, predictionAddress }: OpsSettings) {
  return [
    { address: walletAddress, service: 'wallet' },
    ...(swapAddress ? [{ address: swapAddress, service: 'swap' } as const] : []),
    ...(predictionAddress ? [{ address: predictionAddress, service: 'prediction' } as const] : []),
  ] as const;
}
