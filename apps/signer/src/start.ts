import { buildDigest } from '@agent-wallet/attestation';
import { signerV1 } from '@agent-wallet/contracts';
import { type Clock, systemClock } from '@agent-wallet/kernel';
import {
  type BackgroundLoop,
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
import { openPermitKeys, type PermitKeyFolder } from './adapters/permit-key-folder.js';
import { PostgresBootStore } from './adapters/postgres-boot-store.js';
import { Attest } from './application/attest.js';
import { recordBoot } from './application/record-boot.js';
import { makeBootKey } from './domain/boot-key.js';
import { KEYS_CALLERS, SIGNER_CALLERS } from './grpc/callers.js';
import { KeysController } from './grpc/keys.controller.js';
import { SignerController } from './grpc/signer.controller.js';
import { isolate } from './isolation/isolate.js';
import { openKeys } from './open-keys.js';
import type { SignerSettings } from './settings.js';
import { SignerModule, type SignerParts } from './signer.module.js';

const SCHEMA = 'signer';
const CLOSE_EXPIRED_EVERY_MS = 1_000;
const BEAT_EVERY_MS = 2_000;
const READ_PERMIT_KEYS_EVERY_MS = 2_000;

/** What runs beside the use cases. */
interface StartedParts extends SignerParts {
  readonly permitFolder: PermitKeyFolder;
}

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
  await isolate(settings, { logger });
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
): Promise<StartedParts> {
  const permitFolder = await openPermitKeys(settings.permitPublicKeysPath, logger);
  const permitKeys = permitFolder.keys;
  const bootKey = makeBootKey();
  const keys = await openKeys(settings, { database, logger, clock, bootKey });
  const limits = { maxNetworkFeeLamports: settings.maxNetworkFeeLamports };
  const boots = new PostgresBootStore(database.pool);
  const boot = { key: bootKey, buildDigest: await buildDigest(ownProgram()), startedAtMs: clock.nowMs() };
  const attest = new Attest(boot, keys.vault, permitKeys);
  await recordBoot(attest, boots);
  return { keys, permitKeys, permitFolder, limits, clock, attest, boots };
}

async function listen(
  settings: SignerSettings,
  { parts, database, logger }: { parts: StartedParts; database: Database; logger: Logger },
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
  const loops = startLoops(parts, logger);
  logger.info({ address: service.address, permitKeys: [...parts.permitKeys.keys()] }, 'the signer listens');
  const stop = () =>
    stopInOrder(
      () => service.stop(),
      () => Promise.all(loops.map((loop) => loop.stop())),
      () => parts.keys.beat.end(),
      () => parts.keys.ring.opened.closeAll(),
      () => parts.keys.close(),
      () => database.close(),
    );
  let stopped: Promise<void> | undefined;
  return { address: service.address, stop: () => (stopped ??= stop()) };
}

function startLoops({ keys, permitFolder }: StartedParts, logger: Logger): BackgroundLoop[] {
  const every = (idleMs: number, name: string, work: () => Promise<void>) =>
    startLoop({ name, logger, idleMs, round: () => work().then(() => false) });
  return [
    every(CLOSE_EXPIRED_EVERY_MS, 'open-keys', async () => keys.ring.opened.closeExpired()),
    every(BEAT_EVERY_MS, 'beat', () => keys.beat.execute()),
    every(READ_PERMIT_KEYS_EVERY_MS, 'permit-keys', () => permitFolder.refresh()),
  ];
}
