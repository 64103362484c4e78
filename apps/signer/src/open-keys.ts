import type { Clock } from '@agent-wallet/kernel';
import type { Database, Logger } from '@agent-wallet/platform';
import { openVaults } from './adapters/open-vault.js';
import { PostgresDataKeyStore } from './adapters/postgres-data-key-store.js';
import { PostgresKeyStore } from './adapters/postgres-key-store.js';
import { PostgresReplicas } from './adapters/postgres-replicas.js';
import { Beat } from './application/beat.js';
import { DataKeys } from './application/data-keys.js';
import { OpenedKeys } from './application/opened-keys.js';
import type { VaultSet } from './application/vault-set.js';
import type { BootKey } from './domain/boot-key.js';
import type { KeysParts } from './keys.module.js';
import type { SignerSettings } from './settings.js';

/** What opening the keys needs. */
export interface KeysGround {
  readonly database: Database;
  readonly logger: Logger;
  readonly clock: Clock;
  readonly bootKey: BootKey;
}

/** Opens the vault and the data keys, and joins the other replicas. @throws SettingsError, VaultError */
export async function openKeys(settings: SignerSettings, ground: KeysGround): Promise<KeysParts> {
  const { database, logger, clock, bootKey } = ground;
  const vaults = await openVaults(settings, logger);
  const dataKeyStore = new PostgresDataKeyStore(database.pool);
  const dataKeys = new DataKeys(dataKeyStore, vaults, (version, err) =>
    logger.error({ err, version }, 'a data key does not open here: keys under it cannot sign at this replica'),
  );
  await dataKeys.open();
  const store = new PostgresKeyStore(database.pool);
  const opened = new OpenedKeys(store, dataKeys, settings.openKeys, clock);
  const replicas = new PostgresReplicas(database.pool);
  const vault = vaults.current;
  const beat = new Beat({ dataKeys, replicas, vault, ephemeralKey: bootKey.publicKey });
  await beat.execute();
  return { ring: { store, opened, dataKeys }, dataKeyStore, replicas, vault, beat, close: () => closeVaults(vaults) };
}

async function closeVaults({ current, previous }: VaultSet): Promise<void> {
  await current.close?.();
  await previous?.close?.();
}
