import { predictionV1 } from '@agent-wallet/contracts';
import { assertUuid } from '@agent-wallet/kernel';
import type { GrpcController } from '@agent-wallet/platform';
import { Controller, Inject } from '@nestjs/common';
import { PREDICTION_USE_CASES, type PredictionUseCases } from '../application/use-cases.js';
import type { BuyRequest, SellRequest } from '../domain/orders/order-request.js';
import {
  sideOf,
  toBuyResponse,
  toListedOrder,
  toPosition,
  toPreviewBuyResponse,
  toPreviewSellResponse,
  toSellResponse,
  toWithdrawResponse,
} from './prediction-messages.js';

/** The gRPC surface of agents' orders, positions and prediction money. */
@Controller()
export class PredictionController implements GrpcController<predictionV1.PredictionServiceService> {
  constructor(@Inject(PREDICTION_USE_CASES) private readonly useCases: PredictionUseCases) {}

  async buy(message: predictionV1.BuyRequest): Promise<predictionV1.BuyResponse> {
    const { operationId, agentId, waitMs, onlyIfBegun } = message;
    const call = { operationId, agentId, request: buyOf(message), waitMs, onlyIfBegun };
    return toBuyResponse(await this.useCases.buy.execute(call));
  }

  async previewBuy(message: predictionV1.PreviewBuyRequest): Promise<predictionV1.PreviewBuyResponse> {
    const request = buyOf(message);
    return toPreviewBuyResponse(request, await this.useCases.previewOrder.buy(message.agentId, request));
  }

  async sell(message: predictionV1.SellRequest): Promise<predictionV1.SellResponse> {
    const { operationId, agentId, waitMs, onlyIfBegun } = message;
    const call = { operationId, agentId, request: sellOf(message), waitMs, onlyIfBegun };
    return toSellResponse(await this.useCases.sell.execute(call));
  }

  async previewSell(message: predictionV1.PreviewSellRequest): Promise<predictionV1.PreviewSellResponse> {
    const request = sellOf(message);
    return toPreviewSellResponse(request, await this.useCases.previewOrder.sell(message.agentId, request));
  }

  async withdraw(message: predictionV1.WithdrawRequest): Promise<predictionV1.WithdrawResponse> {
    const { operationId, agentId, amountUsdMicros, waitMs, onlyIfBegun } = message;
    const call = { operationId, agentId, request: amountUsdMicros, waitMs, onlyIfBegun };
    return toWithdrawResponse(await this.useCases.withdraw.execute(call));
  }

  async getBalance({ agentId }: predictionV1.GetBalanceRequest): Promise<predictionV1.GetBalanceResponse> {
    assertUuid('agentId', agentId);
    const { availableUsdMicros, reservedUsdMicros } = await this.useCases.readMoney.balance(agentId);
    return { balanceUsdMicros: availableUsdMicros + reservedUsdMicros, reservedUsdMicros, availableUsdMicros };
  }

  async listPositions({
    agentId,
    settled,
  }: predictionV1.ListPositionsRequest): Promise<predictionV1.ListPositionsResponse> {
    assertUuid('agentId', agentId);
    const { positions, openCount, settledCount } = await this.useCases.readMoney.positions(agentId, settled);
    return { positions: positions.map(toPosition), openPositions: openCount, settledPositions: settledCount };
  }

  async listOrders(message: predictionV1.ListOrdersRequest): Promise<predictionV1.ListOrdersResponse> {
    const { agentId, ticker, limit, cursor } = message;
    assertUuid('agentId', agentId);
    const query = { ticker: ticker || undefined, limit, cursor };
    const page = await this.useCases.readMoney.orders(agentId, query);
    return { orders: page.orders.map(toListedOrder), cursor: page.cursor };
  }
}

function buyOf({ ticker, side, count, maxPriceCents }: predictionV1.PreviewBuyRequest): BuyRequest {
  return { ticker, side: sideOf(side), count, ...(maxPriceCents === undefined ? {} : { maxPriceCents }) };
}

function sellOf({ ticker, side, count, minPriceCents }: predictionV1.PreviewSellRequest): SellRequest {
  return { ticker, side: sideOf(side), count, ...(minPriceCents === undefined ? {} : { minPriceCents }) };
}
