import type { predictionV1 } from '@agent-wallet/contracts';
import type { NumberText, RequestInput } from '../../domain/request-hash.js';
import type { PredictionService } from '../../ports/prediction-service.js';
import { present } from '../../domain/present.js';
import { buyFields, orderStatusName, sideOf } from '../answers/order-answer.js';
import type { OperationOrder, OperationPreview, OperationProgress, PreviewableKind } from './operation-kind.js';
import { progressOf } from './progress-of.js';

/** A purchase of contracts as the caller ordered it. */
export type BuyInput = RequestInput & {
  readonly ticker: string;
  readonly side: string;
  readonly count: NumberText;
  readonly maxPriceCents?: NumberText;
};

/** Purchases of contracts, done by the prediction service. */
export class BuyOperation implements PreviewableKind {
  readonly action = 'prediction_buy';
  readonly isOrder = true;

  constructor(
    private readonly prediction: PredictionService,
    private readonly explorerUrl: (signature: string) => string,
  ) {}

  reach(): Promise<void> {
    return this.prediction.reach();
  }

  async perform(order: OperationOrder): Promise<OperationProgress> {
    const { operationId: transactionId, waitMs, onlyIfBegun, deadlineMs } = order;
    const request = { ...asked(order), operationId: transactionId, waitMs, onlyIfBegun };
    const buy = await this.prediction.buy(request, deadlineMs);
    const { signature } = buy;
    return progressOf(buy, {
      message: 'Order done.',
      data: () => ({
        ...buyFields(buy),
        status: orderStatusName(present(buy.order, 'order')),
        ...{ transactionId, transactionStatus: 'confirmed', signature, explorerUrl: this.explorerUrl(signature) },
      }),
    });
  }

  async preview(order: { agentId: string; input: RequestInput }): Promise<OperationPreview> {
    const { buy, preview } = await this.prediction.previewBuy(asked(order));
    const data = { ...buyFields(present(buy, 'buy')), orderId: null, transactionStatus: 'dry_run' };
    return { data, preview: present(preview, 'preview') };
  }
}

/** What is asked of the prediction service, by the real request and by its preview. */
function asked({ agentId, input }: Pick<OperationOrder, 'agentId' | 'input'>): predictionV1.PreviewBuyRequest {
  const { ticker, side, count, maxPriceCents } = input as BuyInput;
  return {
    agentId,
    ticker,
    side: sideOf(side),
    count: Number(count.numberText),
    maxPriceCents: maxPriceCents && Number(maxPriceCents.numberText),
  };
}
