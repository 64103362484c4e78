import type { walletV1 } from '@agent-wallet/contracts';
import { formatAmount } from '@agent-wallet/kernel';
import { amountNumber, type ExactJson } from './exact-json.js';

/** A confirmed transfer as specification 2.2 shows it. */
export function transferAnswer(
  transfer: walletV1.TransferResponse,
  operationId: string,
  explorerUrl: (signature: string) => string,
): ExactJson {
  return {
    transactionId: operationId,
    status: 'confirmed',
    signature: transfer.signature,
    explorerUrl: explorerUrl(transfer.signature),
    ...transferFields(transfer),
  };
}

/** What a transfer moves; known before it is done. */
export function transferFields(transfer: walletV1.TransferResponse): Record<string, ExactJson> {
  const { decimals, symbol } = transfer;
  return {
    amount: `${formatAmount(transfer.amount, decimals)} ${symbol}`,
    amountRaw: transfer.amount.toString(),
    mint: transfer.mint || null,
    amountSent: amountNumber(transfer.amountSent, decimals),
    fee: amountNumber(transfer.fee, decimals),
    feeMode: transfer.feeDeducted ? 'deducted' : 'added',
    totalDeducted: amountNumber(transfer.totalDeducted, decimals),
    recipient: transfer.recipient,
  };
}
