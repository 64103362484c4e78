import type { OperationDescription } from '@agent-wallet/operations';
import { type TransferPlan, unitsOf } from '../domain/transfer-plan.js';
import type { TransferRequest } from '../domain/transfer-request.js';

/** A transfer as history shows it; `plan` is undefined while the token is not resolved. */
export function describeTransfer(request: TransferRequest, plan: TransferPlan | undefined): OperationDescription {
  return {
    asset: plan?.symbol ?? request.token,
    ...(plan ? { amount: BigInt(plan.amount) } : {}),
    decimals: plan?.decimals ?? 0,
    to: request.to,
    metadata: {
      mint: (plan ? plan.mint : request.token) || null,
      ...(plan ? { amountRaw: plan.amount } : {}),
      ...(plan?.fee ? { feeRaw: plan.fee.amount, feeMode: plan.fee.isDeducted ? 'deducted' : 'added' } : {}),
      ...(plan?.fee || plan?.received !== undefined ? { amountSentRaw: unitsOf(plan).received.toString() } : {}),
      ...(plan?.sponsor !== undefined ? { sponsored: true } : {}),
      ...(request.memo ? { memo: request.memo } : {}),
    },
  };
}
