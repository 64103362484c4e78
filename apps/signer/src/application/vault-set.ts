import { createSecretKey } from 'node:crypto';
import type { DataKey } from '../domain/sealed-key.js';
import type { DataKeySeal } from '../ports/data-key-store.js';
import { type Vault, VaultError, type VaultSet } from '../ports/vault.js';

/** Returns the vaults that data keys are sealed by. */
export function sealersOf({ current, recovery }: VaultSet): readonly [Vault, ...Vault[]] {
  return recovery ? [current, recovery] : [current];
}

/** Seals a data key by one vault. @throws VaultError */
export async function sealBy(vault: Vault, version: number, plain: Uint8Array): Promise<DataKeySeal> {
  const sealed = await vault.seal(plain);
  // After the seal: only then every vault has something that its id can name.
  const { driver, id } = vault.describe();
  return { version, driver, vaultId: id, sealed };
}

/**
 * Returns whether only the vault could have sealed what it opened. Anyone with the public recovery key can seal to it,
 * so the database could hold a data key of an attacker's choice. Such a key opens what is under it and no more.
 */
export function isSealer(vault: Vault): boolean {
  return vault.describe().driver !== 'recovery';
}

/**
 * Opens a data key by whichever of its seals opens, the current vault's first, and hands its bytes, and the vault that
 * opened them, to `work` before they are wiped.
 * @throws VaultError that says which vaults can open it
 */
export async function openDataKey(
  seals: readonly DataKeySeal[],
  vaults: VaultSet,
  work: (plain: Buffer, by: Vault) => Promise<void>,
): Promise<DataKey> {
  const version = seals[0]!.version;
  let failure: Error | undefined;
  for (const vault of [vaults.current, vaults.previous]) {
    for (const { sealed } of vault ? ownSeals(seals, vault) : []) {
      try {
        const plain = await vault!.unseal(sealed);
        return await keep(version, plain, (bytes) => work(bytes, vault!));
      } catch (error) {
        failure ??= error as Error;
      }
    }
  }
  throw failure ?? new VaultError(sealedByOthers(seals, vaults));
}

async function keep(version: number, plain: Buffer, work: (plain: Buffer) => Promise<void>): Promise<DataKey> {
  try {
    await work(plain);
    return { version, secret: createSecretKey(plain) };
  } finally {
    plain.fill(0);
  }
}

/** Seals of the vault's driver; those that carry its id first. */
function ownSeals(seals: readonly DataKeySeal[], vault: Vault): readonly DataKeySeal[] {
  const { driver, id } = vault.describe();
  const own = seals.filter((seal) => seal.driver === driver);
  return [...own.filter(({ vaultId }) => vaultId === id), ...own.filter(({ vaultId }) => vaultId !== id)];
}

function sealedByOthers(seals: readonly DataKeySeal[], { current, previous }: VaultSet): string {
  const sealers = seals.map(({ driver, vaultId }) => `"${driver}"${vaultId && ` (${vaultId})`}`).join(' and ');
  const have = [current, previous].flatMap((vault) => (vault ? [`"${vault.describe().driver}"`] : [])).join(' and ');
  return (
    `data key ${seals[0]!.version} was sealed by the vault ${sealers}, and this signer has ${have}: ` +
    'name what opens it as SIGNER_PREVIOUS_VAULT'
  );
}
