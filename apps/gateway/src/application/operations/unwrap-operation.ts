import type { walletV1 } from '@agent-wallet/contracts';
import { newId } from '@agent-wallet/kernel';
import type { NumberText, RequestInput } from '../../domain/request-hash.js';
import type { WalletService } from '../../ports/wallet-service.js';
import { present } from '../../domain/present.js';
import { unwrapAnswer, unwrapFields } from '../answers/unwrap-answer.js';
import type { OperationKind, OperationOrder, OperationPreview, OperationProgress } from './operation-kind.js';
import { progressOf } from './progress-of.js';

/** An unwrap as the caller ordered it: all there is, without an amount. */
export type UnwrapInput = RequestInput & { readonly amount?: NumberText };

/** SOL out of wrapped SOL, done by the wallet service. */
export class UnwrapOperation implements OperationKind {
  readonly action = 'unwrap_sol';

  constructor(
    private readonly wallet: WalletService,
    private readonly explorerUrl: (signature: string) => string,
  ) {}

  reach(): Promise<void> {
    return this.wallet.reach();
  }

  async perform(order: OperationOrder): Promise<OperationProgress> {
    const unwrap = await this.wallet.unwrap(unwrapRequest(order), order.deadlineMs);
    return progressOf(unwrap, {
      message: 'Unwrapped.',
      data: () => unwrapAnswer(unwrap, order.operationId, this.explorerUrl),
    });
  }

  async preview(order: { agentId: string; input: RequestInput }): Promise<OperationPreview> {
    const request = unwrapRequest({ ...order, operationId: newId(), waitMs: 0, onlyIfBegun: false });
    const { unwrap, preview } = await this.wallet.previewUnwrap(request);
    return { data: unwrapFields(present(unwrap, 'unwrap')), preview: present(preview, 'preview') };
  }
}

function unwrapRequest(order: Omit<OperationOrder, 'deadlineMs'>): walletV1.UnwrapRequest {
  const { operationId, agentId, waitMs, onlyIfBegun } = order;
  const { amount } = order.input as UnwrapInput;
  return { operationId, agentId, amount: amount?.numberText ?? '', waitMs, onlyIfBegun };
}
