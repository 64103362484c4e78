import { setting, SettingsError, type SettingsOf } from '@agent-wallet/platform';
import { readFile } from 'node:fs/promises';
import type { Vault } from '../../../ports/vault.js';
import { RecoveryVault } from './recovery-vault.js';

/** Settings of sealing to a recovery key. */
export const RECOVERY_VARIABLES = {
  /** RSA public key (PEM, 3072 bits or more) that every data key is sealed to as well. */
  SIGNER_RECOVERY_PUBLIC_KEY_PATH: setting.path().optional(),
  /** Its private half, which is kept elsewhere and only brought here after a loss. */
  SIGNER_RECOVERY_PRIVATE_KEY_PATH: setting.path().optional(),
} as const;

/** The private recovery key as the vault that was before. */
export interface RecoveryChoice {
  readonly driver: 'recovery';
  readonly privateKeyPath: string;
}

/** @throws SettingsError without a path */
export function recoveryChoice(env: SettingsOf<typeof RECOVERY_VARIABLES>): RecoveryChoice {
  const { SIGNER_RECOVERY_PRIVATE_KEY_PATH: privateKeyPath } = env;
  if (privateKeyPath === undefined) throw new SettingsError(['SIGNER_RECOVERY_PRIVATE_KEY_PATH is required']);
  return { driver: 'recovery', privateKeyPath };
}

/** Opens the vault that unseals after a loss. @throws SettingsError when the file is not such a key */
export async function openRecoveryVault({ privateKeyPath }: RecoveryChoice): Promise<Vault> {
  return RecoveryVault.ofPrivateKey(await read('SIGNER_RECOVERY_PRIVATE_KEY_PATH', privateKeyPath));
}

/**
 * Opens the vault that seals for the case of a loss.
 * @throws SettingsError when the file is not such a key, or is a private one
 */
export async function openRecoverySealer(publicKeyPath: string): Promise<Vault> {
  return RecoveryVault.ofPublicKey(await read('SIGNER_RECOVERY_PUBLIC_KEY_PATH', publicKeyPath));
}

async function read(name: string, file: string): Promise<string> {
  return readFile(file, 'utf8').catch(() => {
    throw new SettingsError([`${name}: ${file} cannot be read`]);
  });
}
