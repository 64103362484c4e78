import type { Logger, SettingsOf } from '@agent-wallet/platform';
import type { Vault, VaultDriver, VaultSet } from '../ports/vault.js';
import { COCO_VARIABLES, type CocoChoice, cocoChoice, openCocoVault } from './vaults/coco/index.js';
import { DSTACK_VARIABLES, type DstackChoice, dstackChoice, openDstackVault } from './vaults/dstack/index.js';
import { NITRO_VARIABLES, type NitroChoice, nitroChoice, openNitroVault } from './vaults/nitro/index.js';
import {
  openRecoverySealer,
  openRecoveryVault,
  RECOVERY_VARIABLES,
  type RecoveryChoice,
  recoveryChoice,
} from './vaults/recovery/index.js';
import { openPkcs11Vault, PKCS11_VARIABLES, pkcs11Choice, type Pkcs11Choice } from './vaults/pkcs11/index.js';
import { openSoftwareVault, SOFTWARE_VARIABLES, type SoftwareChoice, softwareChoice } from './vaults/software/index.js';
import { openTpm2Vault, TPM2_VARIABLES, tpm2Choice, type Tpm2Choice } from './vaults/tpm2/index.js';

// A driver is a folder of `vaults/` and four lines here: its variables, its choice, and how it is chosen and opened.

/** The settings of every driver; each needs only its own. */
export const VAULT_VARIABLES = {
  ...SOFTWARE_VARIABLES,
  ...TPM2_VARIABLES,
  ...PKCS11_VARIABLES,
  ...DSTACK_VARIABLES,
  ...NITRO_VARIABLES,
  ...COCO_VARIABLES,
  ...RECOVERY_VARIABLES,
} as const;

/** The drivers that can be chosen by name. */
export const VAULT_NAMES = [
  'software',
  'tpm2',
  'pkcs11',
  'dstack',
  'aws-nitro-kms',
  'coco',
] as const satisfies readonly VaultDriver[];

/** Names that a previous vault may have. */
export const PREVIOUS_VAULT_NAMES = [...VAULT_NAMES, 'recovery'] as const;

/** A vault and what it needs, as the settings have it: plain values. */
type VaultChoice = SoftwareChoice | Tpm2Choice | Pkcs11Choice | DstackChoice | NitroChoice | CocoChoice;

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
    case 'pkcs11':
      return pkcs11Choice(env, where);
    case 'dstack':
      return dstackChoice(env, where);
    case 'aws-nitro-kms':
      return nitroChoice(env, where);
    case 'coco':
      return cocoChoice(env, where);
  }
}

/** The vaults of a signer. */
export interface VaultChoices {
  readonly vault: VaultChoice;
  /** The previous vault, which only unseals. */
  readonly previousVault?: VaultChoice | RecoveryChoice | undefined;
  /** RSA public key (PEM) that every data key is sealed to as well. */
  readonly recoveryPublicKeyPath?: string | undefined;
}

/** Reads what the vault before needs. @throws SettingsError */
export function choosePreviousVault(
  name: (typeof PREVIOUS_VAULT_NAMES)[number],
  env: SettingsOf<typeof VAULT_VARIABLES>,
  where: { readonly production: boolean },
): VaultChoice | RecoveryChoice {
  return name === 'recovery' ? recoveryChoice(env) : chooseVault(name, env, where);
}

/** Opens all that were chosen. @throws VaultError, SettingsError */
export async function openVaults(choices: VaultChoices, logger: Logger): Promise<VaultSet> {
  const { vault, previousVault: before, recoveryPublicKeyPath } = choices;
  return {
    current: await openVault(vault, logger),
    previous:
      before?.driver === 'recovery' ? await openRecoveryVault(before) : before && (await openVault(before, logger)),
    recovery: recoveryPublicKeyPath === undefined ? undefined : await openRecoverySealer(recoveryPublicKeyPath),
  };
}

/** Opens a vault, and says in the log what it is. @throws VaultError, SettingsError */
async function openVault(choice: VaultChoice, logger: Logger): Promise<Vault> {
  switch (choice.driver) {
    case 'software':
      return openSoftwareVault(choice, logger);
    case 'tpm2':
      return openTpm2Vault(choice, logger);
    case 'pkcs11':
      return openPkcs11Vault(choice, logger);
    case 'dstack':
      return openDstackVault(choice, logger);
    case 'aws-nitro-kms':
      return openNitroVault(choice, logger);
    case 'coco':
      return openCocoVault(choice, logger);
  }
}
