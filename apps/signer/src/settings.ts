import {
  type Environment,
  readSettings,
  SERVER_VARIABLES,
  serverSettings,
  type ServerSettings,
  setting,
  SettingsError,
} from '@agent-wallet/platform';
import { z } from 'zod';
import {
  choosePreviousVault,
  chooseVault,
  PREVIOUS_VAULT_NAMES,
  VAULT_NAMES,
  VAULT_VARIABLES,
  type VaultChoices,
} from './adapters/open-vault.js';
import type { OpenKeyLimits } from './application/opened-keys.js';

/** Settings of the signer. */
export interface SignerSettings extends ServerSettings, VaultChoices {
  /** Whether this runs with NODE_ENV=production. */
  readonly production: boolean;
  /** Folder of policy's public permit keys: `<key id>.pem`. */
  readonly permitPublicKeysPath: string;
  /** The most that the network may take for one message. */
  readonly maxNetworkFeeLamports: bigint;
  readonly openKeys: OpenKeyLimits;
}

const DEFAULT_MAX_NETWORK_FEE_LAMPORTS = 5_000_000;
const DEFAULT_MAX_OPEN_KEYS = 10_000;
const DEFAULT_OPEN_KEY_TTL_SECONDS = 300;
/** Rows of ciphertext, under a kilobyte each. */
const DEFAULT_MAX_SEALED_KEYS = 50_000;

/** The signer's settings beside those of every service. docs/operating.md has each of them. */
export const SIGNER_VARIABLES = {
  ...VAULT_VARIABLES,
  SIGNER_VAULT: z.enum(VAULT_NAMES, `must be one of ${VAULT_NAMES.join(', ')}`).default('software'),
  SIGNER_PREVIOUS_VAULT: z.enum(PREVIOUS_VAULT_NAMES, `must be one of ${PREVIOUS_VAULT_NAMES.join(', ')}`).optional(),
  PERMIT_PUBLIC_KEYS_PATH: setting.path(),
  SIGNER_MAX_NETWORK_FEE_LAMPORTS: setting
    .integer({ min: 5_000, max: 1_000_000_000 })
    .default(DEFAULT_MAX_NETWORK_FEE_LAMPORTS),
  SIGNER_MAX_OPEN_KEYS: setting.integer({ min: 1, max: 1_000_000 }).default(DEFAULT_MAX_OPEN_KEYS),
  SIGNER_MAX_SEALED_KEYS: setting.integer({ min: 0, max: 10_000_000 }).default(DEFAULT_MAX_SEALED_KEYS),
  SIGNER_OPEN_KEY_TTL_SECONDS: setting.integer({ min: 0, max: 86_400 }).default(DEFAULT_OPEN_KEY_TTL_SECONDS),
} as const;

/** Reads the signer's settings from the environment. @throws SettingsError */
export function signerSettings(environment?: Environment): SignerSettings {
  const own = { ...SERVER_VARIABLES, NODE_ENV: setting.text().default(''), ...SIGNER_VARIABLES };
  const env = readSettings(own, environment);
  const where = { production: env.NODE_ENV === 'production' };
  const { SIGNER_VAULT: current, SIGNER_PREVIOUS_VAULT: previous } = env;
  if (previous === current) throw new SettingsError(['SIGNER_PREVIOUS_VAULT: must be another than SIGNER_VAULT']);
  return {
    ...serverSettings(env),
    ...where,
    vault: chooseVault(current, env, where),
    previousVault: previous && choosePreviousVault(previous, env, where),
    recoveryPublicKeyPath: env.SIGNER_RECOVERY_PUBLIC_KEY_PATH,
    permitPublicKeysPath: env.PERMIT_PUBLIC_KEYS_PATH,
    maxNetworkFeeLamports: BigInt(env.SIGNER_MAX_NETWORK_FEE_LAMPORTS),
    openKeys: {
      maxCount: env.SIGNER_MAX_OPEN_KEYS,
      ttlMs: env.SIGNER_OPEN_KEY_TTL_SECONDS * 1_000,
      maxSealedCount: env.SIGNER_MAX_SEALED_KEYS,
    },
  };
}
