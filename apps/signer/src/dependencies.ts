import { buildDigest } from '@agent-wallet/attestation';
import type { Clock } from '@agent-wallet/kernel';
import type { Database, Logger } from '@agent-wallet/platform';
import type { MessageLimits } from '@agent-wallet/solana/checks';
import { openVaults } from './adapters/open-vault.js';
import { ownProgram } from './adapters/own-program.js';
import { openPermitKeys, type PermitKeyFolder } from './adapters/permit-key-folder.js';
import { PostgresBootStore } from './adapters/postgres-boot-store.js';
import { PostgresDataKeyStore } from './adapters/postgres-data-key-store.js';
import { PostgresKeyStore } from './adapters/postgres-key-store.js';
import { PostgresReplicaStore } from './adapters/postgres-replica-store.js';
import { Attest } from './application/attest.js';
import { Heartbeat } from './application/heartbeat.js';
import { DataKeys } from './application/data-keys.js';
import type { KeyRing } from './application/ensure-key.js';
import { OpenedKeys } from './application/opened-keys.js';
import { recordBoot } from './application/record-boot.js';
import type { VaultSet } from './application/vault-set.js';
import { makeBootKey } from './domain/boot-key.js';
import type { BootStore } from './ports/boot-store.js';
import type { DataKeyStore } from './ports/data-key-store.js';
import type { ReplicaStore } from './ports/replica-store.js';
import type { Vault } from './ports/vault.js';
import type { SignerSettings } from './settings.js';

/** What the use cases work with, opened by the start. */
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
  /** Reports this replica to the others. */
  readonly heartbeat: Heartbeat;
  /** Lets go of the keys and of the vaults. */
  close(): Promise<void>;
}

/** What opening them needs. */
export interface Opened {
  readonly database: Database;
  readonly logger: Logger;
  readonly clock: Clock;
}

/** Opens the vault and the data keys, joins the other replicas, and records this boot. @throws SettingsError, VaultError */
export async function openDependencies(settings: SignerSettings, opened: Opened): Promise<SignerDependencies> {
  const { database, logger, clock } = opened;
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
  const keys = await openKeys(settings, vaults, dataKeyStore, opened);
  const heartbeat = new Heartbeat({ dataKeys: keys.dataKeys, replicas, vault, ephemeralKey: bootKey.publicKey });
  await heartbeat.execute();
  const boot = { key: bootKey, buildDigest: await buildDigest(ownProgram()), startedAtMs: clock.nowMs() };
  const attest = new Attest(boot, vault, permitKeys.keys);
  await recordBoot(attest, boots);
  const close = async () => {
    keys.opened.closeAll();
    await closeVaults(vaults);
  };
  const limits = { maxNetworkFeeLamports: settings.maxNetworkFeeLamports };
  return { keys, dataKeyStore, replicas, boots, vault, permitKeys, limits, clock, attest, heartbeat, close };
}

async function openKeys(
  settings: SignerSettings,
  vaults: VaultSet,
  dataKeyStore: DataKeyStore,
  { database, logger, clock }: Opened,
): Promise<KeyRing> {
  const dataKeys = new DataKeys(dataKeyStore, vaults, (version, err) =>
    logger.error({ event: 'data_key.open_failed', version, err }, 'Data key does not open: its keys cannot sign here'),
  );
  await dataKeys.open();
  const store = new PostgresKeyStore(database.pool);
  return { store, opened: new OpenedKeys(store, dataKeys, settings.openKeys, clock), dataKeys };
}

async function closeVaults({ current, previous }: VaultSet): Promise<void> {
  await current.close?.();
  await previous?.close?.();
}
