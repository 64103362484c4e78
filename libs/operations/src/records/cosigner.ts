import type { intentV1 } from '@agent-wallet/contracts';

/**
 * Base58 address of whoever signs the same bytes after us, pays for them, and so names the transaction; undefined when
 * nobody does.
 */
export function cosignerOf({ action }: intentV1.Intent): string | undefined {
  return action?.$case === 'swap' ? action.value.cosigner : undefined;
}
