import { createSecretKey, randomBytes } from 'node:crypto';
import type { DataKey } from '../domain/sealed-key.js';
import type { DataKeyStore, SealedDataKey } from '../ports/data-key-store.js';
import { type Vault, VaultError } from '../ports/vault.js';

const FIRST_VERSION = 1;
const DATA_KEY_BYTES = 32;

/**
 * Opens the data key, making it at the very first start. Replicas that start together agree: the first one stored
 * wins, and everyone reads what is stored.
 * @throws VaultError
 */
export async function openDataKey(store: DataKeyStore, vault: Vault): Promise<DataKey> {
  const kept = (await store.newest()) ?? (await makeDataKey(store, vault));
  const { driver } = vault.describe();
  if (kept.driver !== driver) {
    throw new VaultError(`the data key was sealed by the vault "${kept.driver}", and this signer has "${driver}"`);
  }
  const plain = await vault.unseal(kept.sealed);
  try {
    return { version: kept.version, secret: createSecretKey(plain) };
  } finally {
    plain.fill(0);
  }
}

async function makeDataKey(store: DataKeyStore, vault: Vault): Promise<SealedDataKey> {
  const plain = randomBytes(DATA_KEY_BYTES);
  try {
    const sealed = await vault.seal(plain);
    await store.add({ version: FIRST_VERSION, driver: vault.describe().driver, sealed });
  } finally {
    plain.fill(0);
  }
  const kept = await store.newest();
  if (!kept) throw new VaultError('the data key could not be kept');
  return kept;
}
