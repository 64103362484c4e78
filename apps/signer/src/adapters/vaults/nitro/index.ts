import {
  AWS_NITRO_ROOT_SHA256,
  isDebugMode,
  readNitroDocument,
  verifyNitroDocument,
} from '@agent-wallet/attestation/nitro';
import { systemClock } from '@agent-wallet/kernel';
import { type Logger, setting, SettingsError, type SettingsOf } from '@agent-wallet/platform';
import { z } from 'zod';
import { type Vault, VaultError } from '../../../ports/vault.js';
import { documentsOf } from './document-command.js';
import { connectKms, type KmsAddress } from './kms.js';
import { NitroVault } from './nitro-vault.js';

const TIMEOUT_MS = 10_000;

/** Domains of KMS: those of AWS's public regions. */
const AWS_DOMAINS = ['.amazonaws.com', '.amazonaws.com.cn', '.api.aws'];

/** Settings of the vault of AWS Nitro Enclaves. */
export const NITRO_VARIABLES = {
  /** ARN of a symmetric key. */
  SIGNER_NITRO_KMS_KEY_ID: setting.text().optional(),
  /** The region's own endpoint when absent. */
  SIGNER_NITRO_KMS_ENDPOINT: setting.url('http', 'https').optional(),
  /** Absolute path of the program that asks the Nitro Security Module for documents. */
  SIGNER_NITRO_DOCUMENT_COMMAND: z.string().startsWith('/', 'must be an absolute path').optional(),
  AWS_REGION: z
    .string()
    .regex(/^[a-z]{2}(-[a-z]+){1,3}-\d$/, 'must be a region of AWS, like eu-central-1')
    .optional(),
} as const;

/** The vault of AWS Nitro Enclaves, as the settings have it. */
export interface NitroChoice extends KmsAddress {
  readonly driver: 'aws-nitro-kms';
  readonly documentCommand: string;
  /** SHA-256 of the root that this enclave's own document must be signed under in production. */
  readonly rootSha256: string;
  readonly production: boolean;
}

/** @throws SettingsError for what is missing, and in production for an endpoint that is not AWS's */
export function nitroChoice(
  env: SettingsOf<typeof NITRO_VARIABLES>,
  { production }: { readonly production: boolean },
): NitroChoice {
  const { SIGNER_NITRO_KMS_KEY_ID: keyId, SIGNER_NITRO_DOCUMENT_COMMAND: documentCommand, AWS_REGION: region } = env;
  const needed = { SIGNER_NITRO_KMS_KEY_ID: keyId, SIGNER_NITRO_DOCUMENT_COMMAND: documentCommand, AWS_REGION: region };
  if (keyId === undefined || documentCommand === undefined || region === undefined) {
    const missing = Object.entries(needed).filter(([, value]) => value === undefined);
    throw new SettingsError(missing.map(([name]) => `${name} is required`));
  }
  // Named here, so that no AWS_ENDPOINT_URL and no profile of the SDK leads elsewhere.
  const endpoint =
    env.SIGNER_NITRO_KMS_ENDPOINT ?? `https://kms.${region}.amazonaws.com${region.startsWith('cn-') ? '.cn' : ''}`;
  if (production && !isAws(new URL(endpoint))) {
    throw new SettingsError([
      'SIGNER_NITRO_KMS_ENDPOINT: with NODE_ENV=production KMS is reached by https at a name of AWS, also through a proxy ' +
        'of the enclave; an emulator is refused',
    ]);
  }
  const rootSha256 = AWS_NITRO_ROOT_SHA256;
  return {
    driver: 'aws-nitro-kms',
    keyId,
    documentCommand,
    region,
    endpoint,
    rootSha256,
    production,
    timeoutMs: TIMEOUT_MS,
  };
}

function isAws({ protocol, hostname }: URL): boolean {
  return protocol === 'https:' && AWS_DOMAINS.some((domain) => hostname.endsWith(domain));
}

/**
 * Opens the vault, and says in the log what it is.
 * @throws VaultError, in production also for an enclave in debug mode, or whose document AWS did not sign
 */
export async function openNitroVault(choice: NitroChoice, logger: Logger): Promise<Vault> {
  const documents = documentsOf(choice.documentCommand, choice.timeoutMs);
  const own = await documents({});
  if (choice.production) requireRealEnclave(own, choice.rootSha256);
  const vault = new NitroVault(await connectKms(choice), documents, choice.keyId);
  const opened = { vault: vault.describe() };
  if (isDebugMode(readNitroDocument(own))) {
    logger.warn({ event: 'vault.unprotected', ...opened }, 'Vault opened in a debug mode enclave: memory is readable');
  } else {
    logger.info({ event: 'vault.opened', ...opened }, 'Vault of the enclave and AWS KMS opened');
  }
  return vault;
}

function requireRealEnclave(document: Buffer, rootSha256: string): void {
  try {
    verifyNitroDocument(document, { nowMs: systemClock.nowMs(), rootSha256 });
  } catch (cause) {
    const why = cause instanceof Error ? cause.message : 'it cannot be read';
    throw new VaultError(
      `the document of SIGNER_NITRO_DOCUMENT_COMMAND is refused with NODE_ENV=production: ${why}; run the signer in an ` +
        'enclave without --debug-mode',
      { cause },
    );
  }
}
