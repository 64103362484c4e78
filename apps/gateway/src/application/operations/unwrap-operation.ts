import type { walletV1 } from '@agent-wallet/contracts';
import type { NumberText, RequestInput } from '../../domain/request-hash.js';
import type { WalletService } from '../../ports/wallet-service.js';
import { present } from '../../domain/present.js';
import { unwrapAnswer, unwrapFields } from '../answers/unwrap-answer.js';
import type { OperationOrder, OperationPreview, OperationProgress, PreviewableKind } from './operation-kind.js';
import { progressOf } from './progress-of.js';

/** An unwrap as the caller ordered it: all there is, without an amount. */
export type UnwrapInput = RequestInput & { readonly amount?: NumberText };

/** SOL out of wrapped SOL, done by the wallet service. */
export class UnwrapOperation implements PreviewableKind {
  readonly action = 'unwrap_sol';

  constructor(
    private readonly wallet: WalletService,
    private readonly explorerUrl: (signature: string) => string,
  ) {}

  reach(): Promise<void> {
    return this.wallet.reach();
  }

  async perform(order: OperationOrder): Promise<OperationProgress> {
    const { operationId, waitMs, onlyIfBegun } = order;
    const unwrap = await this.wallet.unwrap({ ...asked(order), operationId, waitMs, onlyIfBegun }, order.deadlineMs);
    return progressOf(unwrap, {
      message: 'Unwrapped.',
      data: () => unwrapAnswer(unwrap, operationId, this.explorerUrl),
    });
  }

  async preview(order: { agentId: string; input: RequestInput }): Promise<OperationPreview> {
    const { unwrap, preview } = await this.wallet.previewUnwrap(asked(order));
    return { data: unwrapFields(present(unwrap, 'unwrap')), preview: present(preview, 'preview') };
  }
}

/** What is asked of the wallet, by the real request and by its preview. */
function asked({ agentId, input }: Pick<OperationOrder, 'agentId' | 'input'>): walletV1.PreviewUnwrapRequest {
  const { amount } = input as UnwrapInput;
  return { agentId, amount: amount?.numberText ?? '' };
}
