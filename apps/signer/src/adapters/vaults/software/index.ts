import { type Logger, setting, SettingsError, type SettingsOf } from '@agent-wallet/platform';
import type { Vault } from '../../../ports/vault.js';
import { SoftwareVault } from './software-vault.js';

/** Settings of the software vault. */
export const SOFTWARE_VARIABLES = {
  /** File of the root key; made when the first data key is. */
  SIGNER_VAULT_PATH: setting.path().optional(),
  SIGNER_ALLOW_SOFTWARE_VAULT: setting.flag().default(false),
} as const;

/** The software vault, as the settings have it. */
export interface SoftwareChoice {
  readonly driver: 'software';
  /** The file with the root key. */
  readonly path: string;
}

/** @throws SettingsError without a path, and in production unless that was allowed */
export function softwareChoice(
  env: SettingsOf<typeof SOFTWARE_VARIABLES>,
  { production }: { readonly production: boolean },
): SoftwareChoice {
  const { SIGNER_VAULT_PATH: path, SIGNER_ALLOW_SOFTWARE_VAULT: isAllowed } = env;
  if (path === undefined) throw new SettingsError(['SIGNER_VAULT_PATH is required']);
  if (production && !isAllowed) {
    throw new SettingsError([
      'SIGNER_VAULT: the software vault is refused with NODE_ENV=production, because a reader of its file and ' +
        'the database has every key; SIGNER_ALLOW_SOFTWARE_VAULT=true accepts that',
    ]);
  }
  return { driver: 'software', path };
}

/** Opens the vault, and says in the log what it is. @throws VaultError when its file is there and of no use */
export async function openSoftwareVault({ path }: SoftwareChoice, logger: Logger): Promise<Vault> {
  const vault = await SoftwareVault.open(path);
  const fields = { event: 'vault.unprotected', vault: vault.describe() } as const;
  logger.warn(fields, 'Software vault opened: only a file protects the keys');
  return vault;
}
