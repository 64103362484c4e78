import type { intentV1 } from '@agent-wallet/contracts';
import type { MessageLimits } from '@agent-wallet/solana/checks';

/**
 * Proves that a serialized message is the swap of its intent and nothing else that can be told from the bytes.
 * @throws MessageRefused
 */
export function checkSwapMessage(
  _message: Uint8Array,
  _intent: intentV1.Intent,
  _resolvedAddresses: readonly Uint8Array[],
  _limits: MessageLimits,
): void {
  throw new Error('not there yet');
}
