import type { walletV1 } from '@agent-wallet/contracts';
import { formatAmount } from '@agent-wallet/kernel';
import type { ExactJson } from './exact-json.js';

const SOL_DECIMALS = 9;

/** A confirmed unwrap. */
export function unwrapAnswer(
  unwrap: walletV1.UnwrapResponse,
  operationId: string,
  explorerUrl: (signature: string) => string,
): ExactJson {
  return {
    transactionId: operationId,
    status: 'confirmed',
    signature: unwrap.signature,
    explorerUrl: explorerUrl(unwrap.signature),
    ...unwrapFields(unwrap),
  };
}

/** What becomes SOL; known before it is done. */
export function unwrapFields({ amount }: walletV1.UnwrapResponse): Record<string, ExactJson> {
  return { amount: `${formatAmount(amount, SOL_DECIMALS)} SOL`, amountRaw: amount.toString() };
}
