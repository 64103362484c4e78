import { signerV1 } from '@agent-wallet/contracts';
import { once, systemClock } from '@agent-wallet/kernel';
import {
  type BackgroundLoop,
  createLogger,
  loadTls,
  type RunningGrpcService,
  defineService,
  startGrpcService,
  startLoop,
  stopInOrder,
  verifySchema,
} from '@agent-wallet/platform';
import { openDependencies, type OpenDependencies, type SignerOverrides } from './dependencies.js';
import { KEYS_CALLERS, SIGNER_CALLERS } from './grpc/callers.js';
import { keyService } from './grpc/key-service.js';
import { signerService } from './grpc/signer-service.js';
import { isolate } from './isolation/isolate.js';
import { signerMigrations } from './migrations.js';
import type { SignerSettings } from './settings.js';

const CLOSE_EXPIRED_EVERY_MS = 1_000;
const BEAT_EVERY_MS = 2_000;
const READ_PERMIT_KEYS_EVERY_MS = 2_000;

/**
 * Starts the signer on a migrated schema. It calls no other service: its listener and its database are all it has.
 * @throws SettingsError, VaultError
 */
export async function startSigner(
  settings: SignerSettings,
  overrides: SignerOverrides = {},
): Promise<RunningGrpcService> {
  const { logger = createLogger('signer', settings.logLevel), clock = systemClock } = overrides;
  await isolate(settings, { logger });
  await verifySchema({ connection: settings.database, ...signerMigrations, logger });
  const dependencies = await openDependencies(settings, { ...overrides, clock, logger });
  try {
    return await listen(settings, dependencies);
  } catch (error) {
    await dependencies.close();
    throw error;
  }
}

async function listen(settings: SignerSettings, dependencies: OpenDependencies): Promise<RunningGrpcService> {
  const { logger } = dependencies;
  const service = await startGrpcService(
    [
      defineService(signerV1.SignerServiceService, SIGNER_CALLERS, signerService(dependencies.useCases)),
      defineService(signerV1.KeyServiceService, KEYS_CALLERS, keyService(dependencies.useCases)),
    ],
    {
      address: settings.grpcAddress,
      healthAddress: settings.healthAddress,
      tls: await loadTls(settings.tls, { logger }),
      logger,
    },
  );
  const permitKeyIds = [...dependencies.permitKeys.keys.keys()];
  const loops = startLoops(dependencies);
  logger.info({ event: 'service.started', address: service.address, permitKeyIds }, 'Service listening');
  const stop = () =>
    stopInOrder(
      () => service.stop(),
      () => Promise.all(loops.map((loop) => loop.stop())),
      () => dependencies.heartbeat.end(),
      () => dependencies.close(),
    );
  return { address: service.address, stop: once(stop) };
}

function startLoops({ keys, heartbeat, permitKeys, logger }: OpenDependencies): BackgroundLoop[] {
  const every = (idleMs: number, name: string, work: () => Promise<void>) =>
    startLoop({ name, logger, idleMs, round: () => work().then(() => false) });
  return [
    every(CLOSE_EXPIRED_EVERY_MS, 'open-keys', async () => keys.opened.closeExpired()),
    every(BEAT_EVERY_MS, 'beat', () => heartbeat.execute()),
    every(READ_PERMIT_KEYS_EVERY_MS, 'permit-keys', () => permitKeys.refresh()),
  ];
}
