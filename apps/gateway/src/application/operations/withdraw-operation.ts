import { parseUsd } from '@agent-wallet/kernel';
import type { NumberText, RequestInput } from '../../domain/request-hash.js';
import type { PredictionService } from '../../ports/prediction-service.js';
import { usdNumber } from '../answers/exact-json.js';
import type { OperationKind, OperationOrder, OperationProgress } from './operation-kind.js';
import { progressOf } from './progress-of.js';

/** A withdrawal as the caller ordered it: whole cents. */
export type WithdrawInput = RequestInput & { readonly amountDollars: NumberText };

/** Payouts of prediction balance, done by the prediction service. */
export class WithdrawOperation implements OperationKind {
  readonly action = 'prediction_withdrawal';

  constructor(
    private readonly prediction: PredictionService,
    private readonly explorerUrl: (signature: string) => string,
  ) {}

  reach(): Promise<void> {
    return this.prediction.reach();
  }

  async perform(order: OperationOrder): Promise<OperationProgress> {
    const { operationId, agentId, waitMs, onlyIfBegun, deadlineMs } = order;
    const { numberText } = (order.input as WithdrawInput).amountDollars;
    const request = { operationId, agentId, amountUsdMicros: parseUsd(numberText), waitMs, onlyIfBegun };
    const withdrawal = await this.prediction.withdraw(request, deadlineMs);
    const { signature, amountUsdMicros, newBalanceUsdMicros } = withdrawal;
    return progressOf(withdrawal, {
      message: 'Withdrawn.',
      data: () => ({
        withdrawalId: operationId,
        transactionId: operationId,
        status: 'confirmed',
        amountDollars: usdNumber(amountUsdMicros),
        newBalanceDollars: usdNumber(newBalanceUsdMicros),
        signature,
        explorerUrl: this.explorerUrl(signature),
      }),
    });
  }
}
