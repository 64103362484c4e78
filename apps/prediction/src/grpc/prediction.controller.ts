import type { predictionV1 } from '@agent-wallet/contracts';
import { assertUuid } from '@agent-wallet/kernel';
import type { GrpcController } from '@agent-wallet/platform';
import { Controller, Inject } from '@nestjs/common';
import { Buy } from '../application/buy/buy.js';
import { DryRunOrder } from '../application/dry-runs/dry-run-order.js';
import { ReadMoney } from '../application/read/read-money.js';
import { toListedOrder } from '../application/orders/order-facts.js';
import { Sell } from '../application/sell/sell.js';
import { Withdraw } from '../application/withdraw/withdraw.js';
import {
  buyOf,
  sellOf,
  toBuyResponse,
  toPosition,
  toDryRunBuyResponse,
  toDryRunSellResponse,
  toSellResponse,
  toWithdrawResponse,
} from './prediction-messages.js';

/** The gRPC surface of agents' orders, positions and prediction money. */
@Controller()
export class PredictionController implements GrpcController<predictionV1.PredictionServiceService> {
  constructor(
    @Inject(Buy) private readonly buys: Buy,
    @Inject(Sell) private readonly sales: Sell,
    @Inject(Withdraw) private readonly withdrawals: Withdraw,
    @Inject(DryRunOrder) private readonly dryRuns: DryRunOrder,
    @Inject(ReadMoney) private readonly money: ReadMoney,
  ) {}

  async buy(message: predictionV1.BuyRequest): Promise<predictionV1.BuyResponse> {
    const { operationId, agentId, waitMs, cancelIfNotStarted } = message;
    const call = { operationId, agentId, request: buyOf(message), waitMs, cancelIfNotStarted };
    return toBuyResponse(await this.buys.execute(call));
  }

  async dryRunBuy(message: predictionV1.DryRunBuyRequest): Promise<predictionV1.DryRunBuyResponse> {
    const request = buyOf(message);
    return toDryRunBuyResponse(request, await this.dryRuns.buy(message.agentId, request));
  }

  async sell(message: predictionV1.SellRequest): Promise<predictionV1.SellResponse> {
    const { operationId, agentId, waitMs, cancelIfNotStarted } = message;
    const call = { operationId, agentId, request: sellOf(message), waitMs, cancelIfNotStarted };
    return toSellResponse(await this.sales.execute(call));
  }

  async dryRunSell(message: predictionV1.DryRunSellRequest): Promise<predictionV1.DryRunSellResponse> {
    const request = sellOf(message);
    return toDryRunSellResponse(request, await this.dryRuns.sell(message.agentId, request));
  }

  async withdraw(message: predictionV1.WithdrawRequest): Promise<predictionV1.WithdrawResponse> {
    const { operationId, agentId, amountUsdMicros, waitMs, cancelIfNotStarted } = message;
    const call = { operationId, agentId, request: { amountUsdMicros }, waitMs, cancelIfNotStarted };
    return toWithdrawResponse(await this.withdrawals.execute(call));
  }

  async getBalance({ agentId }: predictionV1.GetBalanceRequest): Promise<predictionV1.GetBalanceResponse> {
    assertUuid('agentId', agentId);
    const { availableUsdMicros, reservedUsdMicros } = await this.money.balance(agentId);
    return { balanceUsdMicros: availableUsdMicros + reservedUsdMicros, reservedUsdMicros, availableUsdMicros };
  }

  async listPositions({
    agentId,
    settled,
  }: predictionV1.ListPositionsRequest): Promise<predictionV1.ListPositionsResponse> {
    assertUuid('agentId', agentId);
    const { positions, openCount, settledCount } = await this.money.positions(agentId, settled);
    return { positions: positions.map(toPosition), openPositions: openCount, settledPositions: settledCount };
  }

  async listOrders(message: predictionV1.ListOrdersRequest): Promise<predictionV1.ListOrdersResponse> {
    const { agentId, ticker, limit, cursor } = message;
    assertUuid('agentId', agentId);
    const query = { ticker: ticker || undefined, limit, cursor };
    const page = await this.money.orders(agentId, query);
    return { orders: page.orders.map(toListedOrder), cursor: page.cursor };
  }
}
