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

/** A sale of contracts as its route checked it. */
export type SellInput = {
  readonly ticker: string;
  readonly side: string;
  readonly count: number;
  readonly minPriceCents?: number | undefined;
};

/** Sales of contracts, carried out by the prediction service. */
export class Sell implements DryRunAction<SellInput> {
  readonly name = 'prediction_sell';

  constructor(
    private readonly prediction: PredictionService,
    private readonly explorerUrl: ExplorerUrl,
  ) {}

  reach(): Promise<void> {
    return this.prediction.reach();
  }

  async perform(command: Commanded<SellInput>, { deadlineMs, ...call }: OperationCall): Promise<Operation> {
    const sale = await this.prediction.sell({ ...requestOf(command), ...call }, deadlineMs);
    // Without a fill there is nothing to pay out.
    const signature = sale.signature || null;
    return operationOf(sale, {
      message: 'Order done.',
      data: () => ({
        ...sellFields(sale),
        status: orderStatusName(present(sale.order, 'order')),
        transactionId: call.operationId,
        transactionStatus: 'confirmed',
        signature,
        explorerUrl: signature && this.explorerUrl(signature),
      }),
    });
  }

  async dryRun(command: Commanded<SellInput>) {
    const { sell, dryRun } = await this.prediction.dryRunSell(requestOf(command));
    const data = { ...sellFields(present(sell, 'sell')), orderId: null };
    return { data, dryRun: present(dryRun, 'dryRun') };
  }
}

/** The request to the prediction service, of the real sale and of its dry run. */
function requestOf({ agentId, input }: Commanded<SellInput>): predictionV1.DryRunSellRequest {
  return { agentId, ...input, side: sideOf(input.side), minPriceCents: input.minPriceCents };
}

/** The amounts of a sale. A dry run estimates them from the order book. */
function sellFields(sale: predictionV1.SellResponse): Record<string, ExactJson> {
  const order = present(sale.order, 'order');
  return {
    ...orderFields(order),
    totalProceedsDollars: usdNumber(order.totalUsdMicros),
    paidToBalance: sale.paidToBalance,
  };
}
