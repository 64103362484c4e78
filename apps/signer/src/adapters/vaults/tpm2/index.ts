import { type Logger, setting, SettingsError, type SettingsOf } from '@agent-wallet/platform';
import type { Vault } from '../../../ports/vault.js';
import { parsePcrSelection } from './pcr-selection.js';
import { TpmTools } from './tpm-tools.js';
import { Tpm2Vault } from './tpm2-vault.js';

/** A TPM answers within milliseconds, old ones within seconds. */
const TIMEOUT_MS = 20_000;
/** Addresses of hardware; any other is an emulator, or an arbitrary program. */
const HARDWARE = /^(device|tabrmd)(:|$)/;
const EMULATOR = /^(swtpm|mssim)(:|$)/;

/** Settings of the TPM's vault. */
export const TPM2_VARIABLES = {
  /** The TPM, as tpm2-tools name it (TCTI): by default through the kernel's resource manager. */
  SIGNER_TPM2_TCTI: setting.text().default('device:/dev/tpmrm0'),
  /** Registers to seal to; by default firmware (0, 2), boot loader (4) and Secure Boot (7). */
  SIGNER_TPM2_PCRS: setting.text().default('sha256:0,2,4,7'),
} as const;

/** The TPM's vault, as the settings have it. */
export interface Tpm2Choice {
  readonly driver: 'tpm2';
  readonly tcti: string;
  readonly pcrs: string;
  /** Time that one command may take, in milliseconds. */
  readonly timeoutMs: number;
}

/** @throws SettingsError for registers that cannot be, and in production for what is not hardware */
export function tpm2Choice(
  { SIGNER_TPM2_TCTI: tcti, SIGNER_TPM2_PCRS: pcrs }: SettingsOf<typeof TPM2_VARIABLES>,
  { production }: { readonly production: boolean },
): Tpm2Choice {
  if (!HARDWARE.test(tcti) && !EMULATOR.test(tcti)) {
    throw new SettingsError(['SIGNER_TPM2_TCTI: must start with device: or tabrmd:, for tests with swtpm: or mssim:']);
  }
  if (production && EMULATOR.test(tcti)) {
    throw new SettingsError([
      'SIGNER_TPM2_TCTI: an emulator is refused with NODE_ENV=production, because a reader of its files has ' +
        'every key; name a TPM, like device:/dev/tpmrm0',
    ]);
  }
  try {
    parsePcrSelection(pcrs);
  } catch (error) {
    throw new SettingsError([`SIGNER_TPM2_PCRS: ${(error as Error).message}`]);
  }
  return { driver: 'tpm2', tcti, pcrs, timeoutMs: TIMEOUT_MS };
}

/** Opens the vault, and says in the log what it is. @throws VaultError when the TPM is away or not as it must be */
export async function openTpm2Vault({ tcti, pcrs, timeoutMs }: Tpm2Choice, logger: Logger): Promise<Vault> {
  const isEmulator = EMULATOR.test(tcti);
  const selection = parsePcrSelection(pcrs);
  const isolation = `${isEmulator ? 'emulated TPM 2.0 (no hardware)' : 'TPM 2.0'}, sealed to ${selection.text}`;
  const vault = await Tpm2Vault.open(new TpmTools({ tcti, timeoutMs }), selection, isolation);
  const opened = { vault: vault.describe(), tcti };
  if (isEmulator) logger.warn({ event: 'vault.unprotected', ...opened }, 'Vault opened on a TPM emulator');
  else logger.info({ event: 'vault.opened', ...opened }, 'Vault of a TPM opened');
  return vault;
}
