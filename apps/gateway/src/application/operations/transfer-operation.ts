import type { walletV1 } from '@agent-wallet/contracts';
import { newId } from '@agent-wallet/kernel';
import type { NumberText, RequestInput } from '../../domain/request-hash.js';
import type { WalletService } from '../../ports/wallet-service.js';
import { present } from '../../domain/present.js';
import { transferAnswer, transferFields } from '../answers/transfer-answer.js';
import type { OperationKind, OperationOrder, OperationPreview, OperationProgress } from './operation-kind.js';
import { progressOf } from './progress-of.js';

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
    const transfer = await this.wallet.transfer(transferRequest(order), order.deadlineMs);
    return progressOf(transfer, {
      message: 'Transfer confirmed.',
      data: () => transferAnswer(transfer, order.operationId, this.explorerUrl),
    });
  }

  async preview(order: { agentId: string; input: RequestInput }): Promise<OperationPreview> {
    const request = transferRequest({ ...order, operationId: newId(), waitMs: 0, onlyIfBegun: false });
    const { transfer, preview } = await this.wallet.previewTransfer(request);
    return { data: transferFields(present(transfer, 'transfer')), preview: present(preview, 'preview') };
  }
}

function transferRequest(order: Omit<OperationOrder, 'deadlineMs'>): walletV1.TransferRequest {
  const { operationId, agentId, waitMs, onlyIfBegun } = order;
  const { to, amount, mint, memo } = order.input as TransferInput;
  return {
    operationId,
    agentId,
    to,
    amount: amount.numberText,
    token: mint ?? '',
    memo: memo ?? '',
    waitMs,
    onlyIfBegun,
  };
}
