import { VaultError } from '../../../ports/vault.js';

/** Return values of PKCS #11 that say that a session or key is no longer open: it may be opened again. */
const STALE = [0x30, 0x32, 0xb0, 0xb3, 0xe0, 0x101];

/** CKR_OBJECT_HANDLE_INVALID: the object is gone. */
const OBJECT_GONE = 0x82;

/** Advice to an operator on the other codes. */
const KNOWN: Readonly<Record<number, string>> = {
  0xa0: 'the PIN in the file of SIGNER_PKCS11_PIN_PATH is wrong; tokens lock themselves after a few wrong ones',
  0xa1: 'the PIN in the file of SIGNER_PKCS11_PIN_PATH has characters that it does not take',
  0xa2: 'the PIN in the file of SIGNER_PKCS11_PIN_PATH is too short or too long for it',
  0xa3: 'its PIN has expired: set a new one',
  0xa4: 'its PIN is locked after wrong attempts: its security officer can unlock it',
  0x102: 'its user has no PIN yet: initialize it',
};

export function isGone(error: unknown): boolean {
  return (error as { code?: number }).code === OBJECT_GONE;
}

export function isStale(error: unknown): boolean {
  return STALE.includes((error as { code?: number }).code ?? 0);
}

/**
 * Describes in a sentence for an operator why a token refused. An error that has such a sentence already stays as it
 * is.
 */
export function asVaultError(error: unknown, label: string): VaultError {
  if (error instanceof VaultError) return error;
  const { code, method, message } = error as Error & { code?: number; method?: string };
  const known = KNOWN[code ?? 0] ?? `${method || 'what was asked'}: ${message}`;
  return new VaultError(`the token "${label}" refused: ${known}`, { cause: error });
}
