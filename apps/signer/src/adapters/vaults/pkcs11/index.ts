import { type Logger, setting, SettingsError, type SettingsOf } from '@agent-wallet/platform';
import { type Vault, VaultError } from '../../../ports/vault.js';
import { Pkcs11Vault } from './pkcs11-vault.js';
import { Token, type TokenAddress } from './token.js';

const SOFTWARE = /softhsm/i;

/** Settings of the token's vault. */
export const PKCS11_VARIABLES = {
  /** The module (a shared library) of the token's maker. */
  SIGNER_PKCS11_MODULE_PATH: setting.path().optional(),
  SIGNER_PKCS11_TOKEN_LABEL: setting.text().optional(),
  /** A file that holds the user's PIN and nothing else. */
  SIGNER_PKCS11_PIN_PATH: setting.path().optional(),
  /** The AES key; made in the token when it has none. With `-evidence` after it: the key that signs evidence. */
  SIGNER_PKCS11_KEY_LABEL: setting.text().default('agent-wallet'),
} as const;

/** The token's vault, as the settings have it. */
export interface Pkcs11Choice extends TokenAddress {
  readonly driver: 'pkcs11';
  readonly keyLabel: string;
  /** Whether a token in software may be used. */
  readonly allowsSoftware: boolean;
}

/** @throws SettingsError when something is missing, and in production for a token in software */
export function pkcs11Choice(
  env: SettingsOf<typeof PKCS11_VARIABLES>,
  { production }: { readonly production: boolean },
): Pkcs11Choice {
  const { SIGNER_PKCS11_MODULE_PATH: modulePath, SIGNER_PKCS11_TOKEN_LABEL: tokenLabel } = env;
  const { SIGNER_PKCS11_PIN_PATH: pinPath, SIGNER_PKCS11_KEY_LABEL: keyLabel } = env;
  if (modulePath === undefined || tokenLabel === undefined || pinPath === undefined) {
    const needed = { SIGNER_PKCS11_MODULE_PATH: modulePath, SIGNER_PKCS11_TOKEN_LABEL: tokenLabel };
    const missing = Object.entries({ ...needed, SIGNER_PKCS11_PIN_PATH: pinPath }).filter(([, value]) => !value);
    throw new SettingsError(missing.map(([name]) => `${name} is required`));
  }
  if (production && SOFTWARE.test(modulePath)) throw new SettingsError([`SIGNER_PKCS11_MODULE_PATH: ${REFUSAL}`]);
  return { driver: 'pkcs11', modulePath, tokenLabel, pinPath, keyLabel, allowsSoftware: !production };
}

const REFUSAL =
  'a token in software is refused with NODE_ENV=production, because a reader of its files and its PIN has every ' +
  'key; name the module of a security module';

/** Opens the vault, and says in the log what it is. @throws VaultError */
export async function openPkcs11Vault(choice: Pkcs11Choice, logger: Logger): Promise<Vault> {
  const token = await Token.open(choice);
  try {
    const { manufacturer, model } = token.info;
    const isSoftware = SOFTWARE.test(manufacturer) || SOFTWARE.test(model);
    if (isSoftware && !choice.allowsSoftware) throw new VaultError(REFUSAL);
    const what = isSoftware ? 'PKCS #11 token in software (no hardware)' : 'PKCS #11 token';
    const vault = await Pkcs11Vault.open(token, choice.keyLabel, `${what}: ${manufacturer}, ${model}`);
    const opened = { vault: vault.describe() };
    if (isSoftware) logger.warn({ event: 'vault.unprotected', ...opened }, 'Vault opened on a software token');
    else logger.info({ event: 'vault.opened', ...opened }, 'Vault of a PKCS #11 token opened');
    return vault;
  } catch (error) {
    token.close();
    throw error;
  }
}
