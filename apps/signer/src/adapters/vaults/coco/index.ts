import { jsonOf } from '@agent-wallet/kernel';
import { type Logger, setting, SettingsError, type SettingsOf } from '@agent-wallet/platform';
import { z } from 'zod';
import { type Vault, VaultError } from '../../../ports/vault.js';
import { CocoVault } from './coco-vault.js';
import { guestApi, type GuestApiAddress } from './guest-api.js';

const DEFAULT_BASE_URL = 'http://127.0.0.1:8006';
const TIMEOUT_MS = 30_000;
const RESOURCE = /^\w[\w.-]*\/\w[\w.-]*\/\w[\w.-]*$/;
const LOOPBACK = ['127.0.0.1', '[::1]', 'localhost'];

/** Settings of the vault of confidential containers. */
export const COCO_VARIABLES = {
  /** The guest's API server. */
  SIGNER_COCO_BASE_URL: setting.url('http', 'https').default(DEFAULT_BASE_URL),
  /** The wrapping key at the key broker. */
  SIGNER_COCO_RESOURCE: z.string().regex(RESOURCE, 'must be repository/type/tag').optional(),
} as const;

/** The vault of confidential containers, as the settings have it. */
export interface CocoChoice extends GuestApiAddress {
  readonly driver: 'coco';
  readonly production: boolean;
}

/** @throws SettingsError without a resource, and in production for an API outside the guest */
export function cocoChoice(
  env: SettingsOf<typeof COCO_VARIABLES>,
  { production }: { readonly production: boolean },
): CocoChoice {
  const { SIGNER_COCO_BASE_URL: baseUrl, SIGNER_COCO_RESOURCE: resource } = env;
  if (resource === undefined) throw new SettingsError(['SIGNER_COCO_RESOURCE is required']);
  if (production && !LOOPBACK.includes(new URL(baseUrl).hostname)) {
    throw new SettingsError([
      `SIGNER_COCO_BASE_URL: with NODE_ENV=production only the guest's own API server is accepted, ${DEFAULT_BASE_URL}: ` +
        'the key would cross the network, or come from an emulator',
    ]);
  }
  return { driver: 'coco', baseUrl, resource, production, timeoutMs: TIMEOUT_MS };
}

/** Opens the vault, and says in the log what it is. @throws VaultError, in production also without a TEE */
export async function openCocoVault(choice: CocoChoice, logger: Logger): Promise<Vault> {
  const guest = guestApi(choice);
  const tee = (await guest.tee()) ?? 'unnamed';
  const isSample = tee === 'sample' || isSampleEvidence(await guest.evidence('00'.repeat(32)));
  if (isSample && choice.production) {
    throw new VaultError(
      "the attestation agent's evidence is its sample, which anyone can make: this guest is not a TEE; run it in one",
    );
  }
  const vault = new CocoVault(guest, choice.resource, isSample ? 'sample' : tee);
  const opened = { vault: vault.describe() };
  if (isSample) logger.warn({ event: 'vault.unprotected', ...opened }, 'Vault opened with sample evidence: no TEE');
  else logger.info({ event: 'vault.opened', ...opened }, 'Vault of confidential containers opened');
  return vault;
}

/** Returns whether evidence is the agent's sample, made without a TEE: an `svn` and the report data, unsigned. */
function isSampleEvidence(evidence: Buffer): boolean {
  const parsed = jsonOf(evidence.toString('utf8')) as Partial<Record<string, unknown>> | null | undefined;
  const inner = parsed?.primary_evidence ?? parsed;
  const fields = typeof inner === 'string' ? jsonOf(inner) : inner;
  return typeof fields === 'object' && fields !== null && 'svn' in fields && 'report_data' in fields;
}
