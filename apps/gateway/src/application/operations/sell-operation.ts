import type { predictionV1 } from '@agent-wallet/contracts';
import type { NumberText, RequestInput } from '../../domain/request-hash.js';
import type { PredictionService } from '../../ports/prediction-service.js';
import { present } from '../../domain/present.js';
import { orderStatusName, sellFields, sideOf } from '../answers/order-answer.js';
import type { OperationOrder, OperationPreview, OperationProgress, PreviewableKind } from './operation-kind.js';
import { progressOf } from './progress-of.js';

/** A sale of contracts as the caller ordered it. */
export type SellInput = RequestInput & {
  readonly ticker: string;
  readonly side: string;
  readonly count: NumberText;
  readonly minPriceCents?: NumberText;
};

/** Sales of contracts, done by the prediction service. */
export class SellOperation implements PreviewableKind {
  readonly action = 'prediction_sell';
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
    const sale = await this.prediction.sell(request, deadlineMs);
    // Without a fill there is nothing to pay out.
    const signature = sale.signature || null;
    const explorerUrl = signature && this.explorerUrl(signature);
    return progressOf(sale, {
      message: 'Order done.',
      data: () => ({
        ...sellFields(sale),
        status: orderStatusName(present(sale.order, 'order')),
        ...{ transactionId, transactionStatus: 'confirmed', signature, explorerUrl },
      }),
    });
  }

  async preview(order: { agentId: string; input: RequestInput }): Promise<OperationPreview> {
    const { sell, preview } = await this.prediction.previewSell(asked(order));
    const data = { ...sellFields(present(sell, 'sell')), orderId: null, transactionStatus: 'dry_run' };
    return { data, preview: present(preview, 'preview') };
  }
}

/** What is asked of the prediction service, by the real request and by its preview. */
function asked({ agentId, input }: Pick<OperationOrder, 'agentId' | 'input'>): predictionV1.PreviewSellRequest {
  const { ticker, side, count, minPriceCents } = input as SellInput;
  return {
    agentId,
    ticker,
    side: sideOf(side),
    count: Number(count.numberText),
    minPriceCents: minPriceCents && Number(minPriceCents.numberText),
  };
}
