import { buildDigest } from '@agent-wallet/attestation';
import { signerV1 } from '@agent-wallet/contracts';
import { type Clock, systemClock } from '@agent-wallet/kernel';
import {
  createLogger,
  type Database,
  loadTls,
  type Logger,
  openDatabase,
  type RunningGrpcService,
  startGrpcService,
  startLoop,
  stopInOrder,
} from '@agent-wallet/platform';
import { ownProgram } from './adapters/own-program.js';
import { readPermitKeys } from './adapters/permit-key-folder.js';
import { PostgresBootStore } from './adapters/postgres-boot-store.js';
import { Attest } from './application/attest.js';
import { recordBoot } from './application/record-boot.js';
import { makeBootKey } from './domain/boot-key.js';
import { KEYS_CALLERS, SIGNER_CALLERS } from './grpc/callers.js';
import { KeysController } from './grpc/keys.controller.js';
import { SignerController } from './grpc/signer.controller.js';
import { openKeys } from './open-keys.js';
import type { SignerSettings } from './settings.js';
import { SignerModule, type SignerParts } from './signer.module.js';

const SCHEMA = 'signer';
const CLOSE_EXPIRED_EVERY_MS = 1_000;
const BEAT_EVERY_MS = 2_000;

/** What a test may replace. */
export interface SignerSeams {
  readonly clock?: Clock;
  readonly logger?: Logger;
}

/**
 * Starts the signer on a migrated schema. It calls nobody: its listener and its database are all it has.
 * @throws SettingsError, VaultError
 */
export async function startSigner(settings: SignerSettings, seams: SignerSeams = {}): Promise<RunningGrpcService> {
  const logger = seams.logger ?? createLogger('signer', settings.logLevel);
  const database = openDatabase({ connection: settings.database, schema: SCHEMA, logger });
  try {
    const parts = await openParts(settings, { database, logger, clock: seams.clock ?? systemClock });
    return await listen(settings, { parts, database, logger });
  } catch (error) {
    await database.close();
    throw error;
  }
}

async function openParts(
  settings: SignerSettings,
  { database, logger, clock }: { database: Database; logger: Logger; clock: Clock },
): Promise<SignerParts> {
  const permitKeys = await readPermitKeys(settings.permitPublicKeysPath);
  const bootKey = makeBootKey();
  const keys = await openKeys(settings, { database, logger, clock, bootKey });
  const limits = { maxNetworkFeeLamports: settings.maxNetworkFeeLamports };
  const boots = new PostgresBootStore(database.pool);
  const boot = { key: bootKey, buildDigest: await buildDigest(ownProgram()), startedAtMs: clock.nowMs() };
  const attest = new Attest(boot, keys.vault, permitKeys);
  await recordBoot(attest, boots);
  return { keys, permitKeys, limits, clock, attest, boots };
}

async function listen(
  settings: SignerSettings,
  { parts, database, logger }: { parts: SignerParts; database: Database; logger: Logger },
): Promise<RunningGrpcService> {
  const service = await startGrpcService(
    SignerModule.with(parts),
    [
      { definition: signerV1.SignerServiceService, callers: SIGNER_CALLERS, controller: SignerController },
      { definition: signerV1.KeyServiceService, callers: KEYS_CALLERS, controller: KeysController },
    ],
    {
      address: settings.grpcAddress,
      healthAddress: settings.healthAddress,
      tls: await loadTls(settings.tls, { logger }),
      logger,
    },
  );
  const closing = startLoop({
    name: 'open-keys',
    logger,
    idleMs: CLOSE_EXPIRED_EVERY_MS,
    round: async () => {
      parts.keys.ring.opened.closeExpired();
      return false;
    },
  });
  const beating = startLoop({
    name: 'beat',
    logger,
    idleMs: BEAT_EVERY_MS,
    round: () => parts.keys.beat.execute().then(() => false),
  });
  logger.info({ address: service.address, permitKeys: [...parts.permitKeys.keys()] }, 'the signer listens');
  const stop = () =>
    stopInOrder(
      () => service.stop(),
      () => Promise.all([closing.stop(), beating.stop()]),
      () => parts.keys.beat.end(),
      () => parts.keys.ring.opened.closeAll(),
      () => parts.keys.close(),
      () => database.close(),
    );
  let stopped: Promise<void> | undefined;
  return { address: service.address, stop: () => (stopped ??= stop()) };
}
