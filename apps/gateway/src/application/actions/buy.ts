import type { predictionV1 } from '@agent-wallet/contracts';
import { type PredictionService, present } from '../../ports/services.js';
import {
  type Commanded,
  type DryRunAction,
  type ExplorerUrl,
  type Operation,
  type OperationCall,
  operationOf,
} from '../operations/operation.js';
import { type ExactJson, usdNumber } from '../responses/exact-json.js';
import { orderFields, orderStatusName, sideOf } from '../responses/order-response.js';

/** A purchase of contracts as its route checked it. */
export type BuyInput = {
  readonly ticker: string;
  readonly side: string;
  readonly count: number;
  readonly maxPriceCents?: number | undefined;
};

/** Purchases of contracts, carried out by the prediction service. */
export class Buy implements DryRunAction<BuyInput> {
  readonly name = 'prediction_buy';

  constructor(
    private readonly prediction: PredictionService,
    private readonly explorerUrl: ExplorerUrl,
  ) {}

  reach(): Promise<void> {
    return this.prediction.reach();
  }

  async perform(command: Commanded<BuyInput>, { deadlineMs, ...call }: OperationCall): Promise<Operation> {
    const buy = await this.prediction.buy({ ...requestOf(command), ...call }, deadlineMs);
    // Beyond its limit nothing is taken.
    const signature = buy.signature || null;
    return operationOf(buy, {
      message: 'Order done.',
      data: () => ({
        ...buyFields(buy),
        status: orderStatusName(present(buy.order, 'order')),
        transactionId: call.operationId,
        transactionStatus: 'confirmed',
        signature,
        explorerUrl: signature && this.explorerUrl(signature),
      }),
    });
  }

  async dryRun(command: Commanded<BuyInput>) {
    const { buy, dryRun } = await this.prediction.dryRunBuy(requestOf(command));
    const data = { ...buyFields(present(buy, 'buy')), orderId: null };
    return { data, dryRun: present(dryRun, 'dryRun') };
  }
}

/** The request to the prediction service, of the real purchase and of its dry run. */
function requestOf({ agentId, input }: Commanded<BuyInput>): predictionV1.DryRunBuyRequest {
  return { agentId, ...input, side: sideOf(input.side), maxPriceCents: input.maxPriceCents };
}

/** The amounts of a purchase. A dry run estimates them from the order book. */
function buyFields(buy: predictionV1.BuyResponse): Record<string, ExactJson> {
  const order = present(buy.order, 'order');
  return {
    ...orderFields(order),
    totalCostDollars: usdNumber(order.totalUsdMicros),
    refundedDollars: usdNumber(buy.refundedUsdMicros),
    refundedToBalance: buy.refundedToBalance,
    refundSignature: buy.refundSignature || null,
  };
}
