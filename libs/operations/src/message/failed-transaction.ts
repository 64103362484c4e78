import { AppError } from '@agent-wallet/kernel';
import { explainChainError } from '@agent-wallet/solana';

/**
 * Returns the error of a transaction that landed without effect: which instruction failed, why, and what helps.
 * @param chainError the chain's own error as JSON text
 */
export function landedWithError(message: Uint8Array, chainError: string): AppError {
  const { reason, suggestion } = explainChainError(message, chainError);
  return new AppError('TRANSACTION_FAILED', {
    message: `The transaction landed with an error: ${reason}. No funds moved; the network fee was paid.`,
    data: suggestion === undefined ? {} : { suggestion },
  });
}

/**
 * Returns the error of a transaction that a simulation found to fail. Nothing was sent.
 * @param code UPSTREAM_ERROR where what an upstream built is to blame
 */
export function wouldFail(
  code: 'TRANSACTION_FAILED' | 'UPSTREAM_ERROR',
  message: Uint8Array,
  chainError: string,
): AppError {
  const { reason, suggestion } = explainChainError(message, chainError);
  return new AppError(code, {
    message: `The transaction would fail: ${reason}. Nothing was sent.`,
    data: suggestion === undefined ? {} : { suggestion },
    cause: new Error(chainError),
  });
}
