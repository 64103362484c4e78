import { openAttestedSigner } from '@agent-wallet/attestation/service';
import { swapV1 } from '@agent-wallet/contracts';
import { systemClock } from '@agent-wallet/kernel';
import { serveOperations } from '@agent-wallet/operations';
import {
  createLogger,
  loadTls,
  type RunningGrpcService,
  defineService,
  verifyNetwork,
  verifySchema,
} from '@agent-wallet/platform';
import { networkOf } from '@agent-wallet/solana';
import { openDependencies, type SwapOverrides } from './dependencies.js';
import { SWAP_CALLERS } from './grpc/callers.js';
import { swapService } from './grpc/swap-service.js';
import { swapMigrations } from './migrations.js';
import type { SwapSettings } from './settings.js';

/** Starts the swap service on a migrated schema, and takes up the operations that others left. */
export async function startSwap(settings: SwapSettings, overrides: SwapOverrides = {}): Promise<RunningGrpcService> {
  const { logger = createLogger('swap', settings.logLevel), clock = systemClock } = overrides;
  await verifySchema({ connection: settings.database, ...swapMigrations, logger });
  const { solanaNetwork: expected, solanaRpcUrls } = settings;
  await Promise.all(
    solanaRpcUrls.map((url) => verifyNetwork({ expected, read: () => networkOf(url, expected), logger })),
  );
  const tls = await loadTls(settings.tls, { logger });
  const { signerAddress: address, signerAttestationPolicyPath: policyPath } = settings;
  // Without an attested signer nothing starts that asks for one.
  const signers = await openAttestedSigner({ address, policyPath, tls, clock, logger });
  const dependencies = openDependencies(settings, { ...overrides, clock, logger, tls, signers });
  const served = [defineService(swapV1.SwapServiceService, SWAP_CALLERS, swapService(dependencies))];
  const { operators, engine, close } = dependencies;
  return serveOperations(
    { served, operators, engine, close },
    { address: settings.grpcAddress, healthAddress: settings.healthAddress, tls, logger },
  );
}
