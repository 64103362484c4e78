import { type Logger, SettingsError } from '@agent-wallet/platform';
import type { Vault } from '../ports/vault.js';
import { SoftwareVault } from './software-vault.js';

/** Which vault guards the keys. */
export interface VaultChoice {
  readonly driver: 'software';
  /** The file with the root key; made at the first start. */
  readonly path: string;
  /** Whether this runs with NODE_ENV=production. */
  readonly production: boolean;
  /** Whether the software vault may be used in production all the same. */
  readonly allowSoftware: boolean;
}

/**
 * Opens the vault that the settings name, and says in the log what it is.
 * @throws SettingsError for the software vault in production, unless it was allowed
 */
export function openVault(choice: VaultChoice, logger: Logger): Vault {
  if (choice.production && !choice.allowSoftware) {
    throw new SettingsError([
      'SIGNER_VAULT: the software vault is refused with NODE_ENV=production, because whoever can read its file and ' +
        'the database has every key; SIGNER_ALLOW_SOFTWARE_VAULT=true accepts that',
    ]);
  }
  const vault = new SoftwareVault(choice.path);
  logger.warn({ vault: vault.describe() }, 'keys are guarded by a file only: this is the software vault');
  return vault;
}
