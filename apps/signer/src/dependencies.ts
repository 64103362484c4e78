import { buildDigest } from '@agent-wallet/attestation';
import type { Clock } from '@agent-wallet/kernel';
import { type Database, type Logger, openDatabase, stopInOrder } from '@agent-wallet/platform';
import type { MessageLimits } from '@agent-wallet/solana/checks';
import { openVaults } from './adapters/open-vault.js';
import { ownProgram } from './adapters/own-program.js';
import { openPermitKeys, type PermitKeyFolder } from './adapters/permit-key-folder.js';
import { PostgresBootStore } from './adapters/postgres-boot-store.js';
import { PostgresDataKeyStore } from './adapters/postgres-data-key-store.js';
import { PostgresKeyStore } from './adapters/postgres-key-store.js';
import { PostgresReplicaStore } from './adapters/postgres-replica-store.js';
import { Attest } from './application/attest.js';
import { Boots } from './application/boots.js';
import { CreateKey } from './application/create-key.js';
import { DataKeys } from './application/data-keys.js';
import { DescribeKeys } from './application/describe-keys.js';
import type { KeyRing } from './application/ensure-key.js';
import { Heartbeat } from './application/heartbeat.js';
import { OpenedKeys } from './application/opened-keys.js';
import { recordBoot } from './application/record-boot.js';
import { RetireDataKeys } from './application/retire-data-keys.js';
import { RewrapKeys } from './application/rewrap-keys.js';
import { SignCheckpoints } from './application/sign-checkpoints.js';
import { Sign } from './application/sign.js';
import { makeBootKey } from './domain/boot-key.js';
import type { BootStore } from './ports/boot-store.js';
import type { DataKeyStore } from './ports/data-key-store.js';
import type { ReplicaStore } from './ports/replica-store.js';
import type { Vault, VaultSet } from './ports/vault.js';
import type { SignerSettings } from './settings.js';

const SCHEMA = 'signer';

/** Dependencies of the use cases. */
export interface SignerDependencies {
  readonly keys: KeyRing;
  readonly dataKeyStore: DataKeyStore;
  readonly replicas: ReplicaStore;
  readonly boots: BootStore;
  readonly vault: Vault;
  readonly permitKeys: PermitKeyFolder;
  readonly limits: MessageLimits;
  readonly clock: Clock;
  /** Attests this boot. */
  readonly attest: Attest;
}

/** Dependencies that a test may replace. */
export interface SignerOverrides {
  readonly clock?: Clock;
  readonly logger?: Logger;
}

/** Inputs for opening the dependencies. */
interface Opening extends SignerOverrides {
  readonly clock: Clock;
  readonly logger: Logger;
}

/** Dependencies that were opened, what runs beside the callers, and how all of it is closed. */
export interface OpenDependencies extends SignerDependencies {
  readonly useCases: SignerUseCases;
  readonly logger: Logger;
  /** Reports this replica to the others. */
  readonly heartbeat: Heartbeat;
  /** Lets go of the keys, of the vaults and of the database. */
  readonly close: () => Promise<void>;
}

/** Opens the vault and the data keys, joins the other replicas, and records this boot. @throws SettingsError, VaultError */
export async function openDependencies(settings: SignerSettings, opening: Opening): Promise<OpenDependencies> {
  const { logger } = opening;
  const database = openDatabase({ connection: settings.database, schema: SCHEMA, logger });
  try {
    return await openOn(database, settings, opening);
  } catch (error) {
    await database.close();
    throw error;
  }
}

async function openOn(
  database: Database,
  settings: SignerSettings,
  { clock, logger }: Opening,
): Promise<OpenDependencies> {
  const { pool } = database;
  const permitKeys = await openPermitKeys(settings.permitPublicKeysPath, logger);
  const bootKey = makeBootKey();
  const vaults = await openVaults(settings, logger);
  const vault = vaults.current;
  const [dataKeyStore, replicas, boots] = [
    new PostgresDataKeyStore(pool),
    new PostgresReplicaStore(pool),
    new PostgresBootStore(pool),
  ];
  const keys = await openKeys(settings, vaults, dataKeyStore, { database, clock, logger });
  const heartbeat = new Heartbeat({ dataKeys: keys.dataKeys, replicas, vault, ephemeralKey: bootKey.publicKey });
  await heartbeat.execute();
  const boot = { key: bootKey, buildDigest: await buildDigest(ownProgram()), startedAtMs: clock.nowMs() };
  const attest = new Attest(boot, vault, permitKeys.keys);
  await recordBoot(attest, boots);
  const close = () =>
    stopInOrder(
      () => keys.opened.closeAll(),
      () => vaults.current.close?.(),
      () => vaults.previous?.close?.(),
      () => database.close(),
    );
  const limits = { maxNetworkFeeLamports: settings.maxNetworkFeeLamports };
  const opened = { keys, dataKeyStore, replicas, boots, vault, permitKeys, limits, clock, attest };
  return { ...opened, useCases: openUseCases(opened), logger, heartbeat, close };
}

/** Use cases that callers reach. */
export type SignerUseCases = ReturnType<typeof openUseCases>;

function openUseCases(dependencies: SignerDependencies) {
  const { keys, dataKeyStore, replicas, boots, vault, permitKeys, limits, clock, attest } = dependencies;
  const { dataKeys, opened, store } = keys;
  return {
    creation: new CreateKey(keys),
    signing: new Sign({ opened, permitKeys: permitKeys.keys, limits, clock, bootKey: attest.boot.key }),
    checkpoints: new SignCheckpoints(keys, clock),
    boots: new Boots(attest, boots),
    dataKeys,
    description: new DescribeKeys(dataKeyStore, replicas, vault),
    rewrapping: new RewrapKeys({ dataKeys, dataKeyStore, store, replicas }),
    retirement: new RetireDataKeys(dataKeyStore, dataKeys),
  };
}

async function openKeys(
  settings: SignerSettings,
  vaults: VaultSet,
  dataKeyStore: DataKeyStore,
  { database, logger, clock }: Opening & { readonly database: Database },
): Promise<KeyRing> {
  const dataKeys = new DataKeys(dataKeyStore, vaults, (version, err) =>
    logger.error({ event: 'data_key.open_failed', version, err }, 'Data key does not open: its keys cannot sign here'),
  );
  await dataKeys.open();
  const store = new PostgresKeyStore(database.pool);
  return { store, opened: new OpenedKeys(store, dataKeys, settings.openKeys, clock), dataKeys };
}
