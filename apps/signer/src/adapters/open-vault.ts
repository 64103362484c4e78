import type { Logger, SettingsOf } from '@agent-wallet/platform';
import type { Vault, VaultDriver } from '../ports/vault.js';
import { openSoftwareVault, SOFTWARE_VARIABLES, type SoftwareChoice, softwareChoice } from './vaults/software/index.js';
import { openTpm2Vault, TPM2_VARIABLES, tpm2Choice, type Tpm2Choice } from './vaults/tpm2/index.js';

// A driver is a folder of `vaults/` and four lines here: its variables, its choice, and how it is chosen and opened.

/** What every driver is told; each needs only its own. */
export const VAULT_VARIABLES = {
  ...SOFTWARE_VARIABLES,
  ...TPM2_VARIABLES,
} as const;

/** The drivers that can be chosen by name. */
export const VAULT_NAMES = ['software', 'tpm2'] as const satisfies readonly VaultDriver[];

/** A vault and what it needs, as the settings have it: plain values. */
export type VaultChoice = SoftwareChoice | Tpm2Choice;

/** Reads what the named vault needs. @throws SettingsError that says what to do, also for what production refuses */
export function chooseVault(
  name: (typeof VAULT_NAMES)[number],
  env: SettingsOf<typeof VAULT_VARIABLES>,
  where: { readonly production: boolean },
): VaultChoice {
  switch (name) {
    case 'software':
      return softwareChoice(env, where);
    case 'tpm2':
      return tpm2Choice(env, where);
  }
}

/** Opens a vault, and says in the log what it is. @throws VaultError, SettingsError */
export async function openVault(choice: VaultChoice, logger: Logger): Promise<Vault> {
  switch (choice.driver) {
    case 'software':
      return openSoftwareVault(choice, logger);
    case 'tpm2':
      return openTpm2Vault(choice, logger);
  }
}
