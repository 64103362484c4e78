import { parseUsd } from '@agent-wallet/kernel';
import type { PredictionService } from '../../ports/services.js';
import {
  type Action,
  type Commanded,
  type ExplorerUrl,
  type Operation,
  type OperationCall,
  operationOf,
} from '../operations/operation.js';
import { usdNumber } from '../responses/exact-json.js';

/** A withdrawal as its route checked it: whole cents. */
export type WithdrawInput = { readonly amountDollars: string };

/** Payouts of prediction balance, carried out by the prediction service. */
export class Withdraw implements Action<WithdrawInput> {
  readonly name = 'prediction_withdrawal';

  constructor(
    private readonly prediction: PredictionService,
    private readonly explorerUrl: ExplorerUrl,
  ) {}

  reach(): Promise<void> {
    return this.prediction.reach();
  }

  async perform(
    { agentId, input }: Commanded<WithdrawInput>,
    { deadlineMs, ...call }: OperationCall,
  ): Promise<Operation> {
    const request = { agentId, amountUsdMicros: parseUsd(input.amountDollars), ...call };
    const withdrawal = await this.prediction.withdraw(request, deadlineMs);
    const { signature, amountUsdMicros, newBalanceUsdMicros } = withdrawal;
    return operationOf(withdrawal, {
      message: 'Withdrawn.',
      data: () => ({
        withdrawalId: call.operationId,
        transactionId: call.operationId,
        status: 'confirmed',
        transactionStatus: 'confirmed',
        amountDollars: usdNumber(amountUsdMicros),
        newBalanceDollars: usdNumber(newBalanceUsdMicros),
        signature,
        explorerUrl: this.explorerUrl(signature),
      }),
    });
  }
}
