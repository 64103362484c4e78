import { walletV1 } from '@agent-wallet/contracts';
import type { NumberText, RequestInput } from '../../domain/request-hash.js';
import { OutcomeUnknown, type WalletService } from '../../ports/wallet-service.js';
import { transferAnswer } from '../answers/transfer-answer.js';
import type { OperationKind, OperationOrder, OperationProgress } from './operation-kind.js';

/** A transfer as the caller ordered it. */
export type TransferInput = RequestInput & {
  readonly to: string;
  readonly amount: NumberText;
  readonly mint?: string;
  readonly memo?: string;
};

/** Transfers of the native coin and of tokens, done by the wallet service. */
export class TransferOperation implements OperationKind {
  readonly action = 'transfer';

  constructor(
    private readonly wallet: WalletService,
    private readonly explorerUrl: (signature: string) => string,
  ) {}

  reach(): Promise<void> {
    return this.wallet.reach();
  }

  async perform(order: OperationOrder): Promise<OperationProgress> {
    const { to, amount, mint, memo } = order.input as TransferInput;
    const transfer = await this.wallet.transfer(
      {
        operationId: order.operationId,
        agentId: order.agentId,
        to,
        amount: amount.numberText,
        token: mint ?? '',
        memo: memo ?? '',
        waitMs: order.waitMs,
        onlyIfBegun: order.onlyIfBegun,
      },
      order.deadlineMs,
    );
    switch (transfer.state) {
      case walletV1.OperationState.OPERATION_STATE_CONFIRMED:
        return {
          state: 'confirmed',
          signature: transfer.signature,
          message: 'Transfer confirmed.',
          data: transferAnswer(transfer, order.operationId, this.explorerUrl),
        };
      case walletV1.OperationState.OPERATION_STATE_SUBMITTED:
        return { state: 'submitted', signature: transfer.signature };
      default:
        throw new OutcomeUnknown(new Error(`the wallet answered with state ${transfer.state}`));
    }
  }
}
