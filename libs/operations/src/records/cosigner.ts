import type { intentV1 } from '@agent-wallet/contracts';

/**
 * Base58 address of whoever signs the same bytes after us, pays for them, and so names the transaction; undefined when
 * nobody does.
 */
export function cosignerOf({ action }: intentV1.Intent): string | undefined {
  return action?.$case === 'swap' ? action.value.cosigner : undefined;
}

/** Base58 address of the wallet whose money leaves, and whose key signs: the agent's, or the treasury's of a payout. */
export function payerOf({ action, wallet }: intentV1.Intent): string {
  return action?.$case === 'payout' ? action.value.treasury : wallet;
}
