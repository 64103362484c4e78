import type { walletV1 } from '@agent-wallet/contracts';
import type { NumberText, RequestInput } from '../../domain/request-hash.js';
import type { WalletService } from '../../ports/wallet-service.js';
import { present } from '../../domain/present.js';
import { transferAnswer, transferFields } from '../answers/transfer-answer.js';
import type { OperationOrder, OperationPreview, OperationProgress, PreviewableKind } from './operation-kind.js';
import { progressOf } from './progress-of.js';

/** A transfer as the caller ordered it. */
export type TransferInput = RequestInput & {
  readonly to: string;
  readonly amount: NumberText;
  readonly mint?: string;
  readonly memo?: string;
};

/** Transfers of the native coin and of tokens, done by the wallet service. */
export class TransferOperation implements PreviewableKind {
  readonly action = 'transfer';

  constructor(
    private readonly wallet: WalletService,
    private readonly explorerUrl: (signature: string) => string,
  ) {}

  reach(): Promise<void> {
    return this.wallet.reach();
  }

  async perform(order: OperationOrder): Promise<OperationProgress> {
    const { operationId, waitMs, onlyIfBegun } = order;
    const transfer = await this.wallet.transfer(
      { ...asked(order), operationId, waitMs, onlyIfBegun },
      order.deadlineMs,
    );
    return progressOf(transfer, {
      message: 'Transfer confirmed.',
      data: () => transferAnswer(transfer, operationId, this.explorerUrl),
    });
  }

  async preview(order: { agentId: string; input: RequestInput }): Promise<OperationPreview> {
    const { transfer, preview } = await this.wallet.previewTransfer(asked(order));
    return { data: transferFields(present(transfer, 'transfer')), preview: present(preview, 'preview') };
  }
}

/** What is asked of the wallet, by the real request and by its preview. */
function asked({ agentId, input }: Pick<OperationOrder, 'agentId' | 'input'>): walletV1.PreviewTransferRequest {
  const { to, amount, mint, memo } = input as TransferInput;
  return { agentId, to, token: mint ?? '', amount: amount.numberText, memo: memo ?? '' };
}
