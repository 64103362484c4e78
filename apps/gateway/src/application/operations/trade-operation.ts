import type { swapV1 } from '@agent-wallet/contracts';
import type { NumberText, RequestInput } from '../../domain/request-hash.js';
import type { SwapService } from '../../ports/swap-service.js';
import { present } from '../../domain/present.js';
import { tradeAnswer, tradeFields } from '../answers/trade-answer.js';
import type { OperationOrder, OperationPreview, OperationProgress, PreviewableKind } from './operation-kind.js';
import { progressOf } from './progress-of.js';

/** A trade as the caller ordered it, with what it left out filled in. */
export type TradeInput = RequestInput & {
  readonly from: string;
  readonly to: string;
  readonly amount: NumberText;
  readonly slippageBps: NumberText;
  readonly allowRisky: boolean;
};

/** Trades of one token for another, done by the swap service. */
export class TradeOperation implements PreviewableKind {
  readonly action = 'trade';

  constructor(
    private readonly swap: SwapService,
    private readonly explorerUrl: (signature: string) => string,
  ) {}

  reach(): Promise<void> {
    return this.swap.reach();
  }

  async perform(order: OperationOrder): Promise<OperationProgress> {
    const { operationId, waitMs, onlyIfBegun } = order;
    const trade = await this.swap.trade({ ...asked(order), operationId, waitMs, onlyIfBegun }, order.deadlineMs);
    return progressOf(trade, {
      message: 'Trade confirmed.',
      data: () => tradeAnswer(trade, operationId, this.explorerUrl),
    });
  }

  async preview(order: { agentId: string; input: RequestInput }): Promise<OperationPreview> {
    const { trade, preview } = await this.swap.previewTrade(asked(order));
    return { data: tradeFields(present(trade, 'trade')), preview: present(preview, 'preview') };
  }
}

/** What is asked of the swap service, by the real request and by its preview. */
function asked({ agentId, input }: Pick<OperationOrder, 'agentId' | 'input'>): swapV1.PreviewTradeRequest {
  const { from, to, amount, slippageBps, allowRisky } = input as TradeInput;
  return { agentId, from, to, amount: amount.numberText, slippageBps: Number(slippageBps.numberText), allowRisky };
}
