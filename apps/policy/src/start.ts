import { policyV1 } from '@agent-wallet/contracts';
import { once, systemClock } from '@agent-wallet/kernel';
import {
  createLogger,
  loadTls,
  type RunningGrpcService,
  defineService,
  type ServedService,
  startGrpcService,
  startLoop,
  stopInOrder,
  verifyNetwork,
  verifySchema,
} from '@agent-wallet/platform';
import { networkOf } from '@agent-wallet/solana';
import { watchApprovals } from './adapters/owners/count-approvals.js';
import { verifySigner } from './adapters/verify-signer.js';
import { watchRecovery } from './adapters/watch-recovery.js';
import { watchReservations } from './adapters/watch-reservations.js';
import { openDependencies, type OpenDependencies, type PolicyOverrides } from './dependencies.js';
import { OWNER_CALLERS, POLICY_CALLERS, RECOVERY_CALLERS, TOKEN_CALLERS } from './grpc/callers.js';
import { ownerService } from './grpc/owner-service.js';
import { policyService } from './grpc/policy-service.js';
import { recoveryService } from './grpc/recovery-service.js';
import { tokenService } from './grpc/token-service.js';
import { policyMigrations } from './migrations.js';
import type { PolicySettings } from './settings.js';
import { ownerUseCases, policyUseCases, recoveryUseCases, tokenUseCases } from './use-cases.js';

const OBSERVE_HEAD_EVERY_MS = 2_000;
const RECONCILE_EVERY_MS = 1_000;
const RECOVER_EVERY_MS = 1_000;
const EXPIRE_APPROVALS_EVERY_MS = 5_000;
const READ_PERMIT_KEYS_EVERY_MS = 2_000;

/**
 * Starts policy on a migrated schema: it answers, relays its events, notes block heights, and looks after open
 * reservations and expired approvals. @throws SettingsError
 */
export async function startPolicy(
  settings: PolicySettings,
  overrides: PolicyOverrides = {},
): Promise<RunningGrpcService> {
  const { logger = createLogger('policy', settings.logLevel), clock = systemClock } = overrides;
  await verifySchema({ connection: settings.database, ...policyMigrations, logger });
  const { solanaNetwork: expected, solanaRpcUrls } = settings;
  await Promise.all(
    solanaRpcUrls.map((url) => verifyNetwork({ expected, read: () => networkOf(url, expected), logger })),
  );
  await verifySigner(settings, { clock, logger });
  const dependencies = await openDependencies(settings, { ...overrides, clock, logger });
  try {
    return await listen(settings, dependencies, overrides);
  } catch (error) {
    await dependencies.close();
    throw error;
  }
}

async function listen(
  settings: PolicySettings,
  dependencies: OpenDependencies,
  overrides: PolicyOverrides,
): Promise<RunningGrpcService> {
  const { logger, database, recover } = dependencies;
  // Before the first request, so that its answer is right. Without a database nothing is permitted anyway.
  await recover
    .notice()
    .catch((err: unknown) => logger.warn({ event: 'recovery.detection_failed', err }, 'Restore check failed'));
  const service = await startGrpcService(servedBy(dependencies), {
    address: settings.grpcAddress,
    healthAddress: settings.healthAddress,
    tls: await loadTls(settings.tls, { logger }),
    logger,
  });
  const gauges = [watchReservations(database), watchRecovery(database), watchApprovals(database)];
  const loops = startLoops(dependencies, overrides);
  logger.info({ event: 'service.started', address: service.address }, 'Service listening');
  const stop = () =>
    stopInOrder(
      () => service.stop(),
      () => gauges.forEach((gauge) => gauge.stop()),
      () => Promise.all(loops.map((loop) => loop.stop())),
      () => dependencies.close(),
    );
  return { address: service.address, stop: once(stop) };
}

function servedBy(dependencies: OpenDependencies): ServedService[] {
  return [
    defineService(policyV1.PolicyServiceService, POLICY_CALLERS, policyService(policyUseCases(dependencies))),
    defineService(policyV1.RecoveryServiceService, RECOVERY_CALLERS, recoveryService(recoveryUseCases(dependencies))),
    defineService(policyV1.OwnerServiceService, OWNER_CALLERS, ownerService(ownerUseCases(dependencies))),
    defineService(policyV1.TokenServiceService, TOKEN_CALLERS, tokenService(tokenUseCases(dependencies))),
  ];
}

function startLoops(
  { reconcile, recover, expireApprovals, heads, chain, chainLag, permitFolder, logger }: OpenDependencies,
  {
    observeHeadEveryMs = OBSERVE_HEAD_EVERY_MS,
    recoverEveryMs = RECOVER_EVERY_MS,
    expireApprovalsEveryMs = EXPIRE_APPROVALS_EVERY_MS,
  }: PolicyOverrides,
) {
  const loop = (name: string, idleMs: number, round: () => Promise<boolean>) =>
    startLoop({ name, logger, idleMs, round });
  const readHead = async () => {
    const head = await chain.head();
    chainLag.note(head);
    return head;
  };
  return [
    loop('heads', observeHeadEveryMs, () => heads.observe(readHead).then(() => false)),
    loop('reconcile', RECONCILE_EVERY_MS, () => reconcile.execute()),
    loop('recovery', recoverEveryMs, () => recover.execute()),
    loop('approvals', expireApprovalsEveryMs, () => expireApprovals.execute()),
    loop('permit-keys', READ_PERMIT_KEYS_EVERY_MS, () => permitFolder.refresh().then(() => false)),
  ];
}
