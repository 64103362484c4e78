import type { predictionV1 } from '@agent-wallet/contracts';
import { assertUuid } from '@agent-wallet/kernel';
import type { GrpcController } from '@agent-wallet/platform';
import { toListedOrder } from '../application/orders/order-facts.js';
import type { PredictionUseCases } from '../dependencies.js';
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

/** Handles the gRPC methods of agents' orders, positions and prediction money. */
export function predictionService(useCases: PredictionUseCases): GrpcController<predictionV1.PredictionServiceService> {
  const { buys, sales, withdrawals, dryRuns, money } = useCases;
  return {
    buy: async (message) => {
      const { operationId, agentId, waitMs, cancelIfNotStarted } = message;
      const call = { operationId, agentId, request: buyOf(message), waitMs, cancelIfNotStarted };
      return toBuyResponse(await buys.execute(call));
    },
    dryRunBuy: async (message) => {
      const request = buyOf(message);
      return toDryRunBuyResponse(request, await dryRuns.buy(message.agentId, request));
    },
    sell: async (message) => {
      const { operationId, agentId, waitMs, cancelIfNotStarted } = message;
      const call = { operationId, agentId, request: sellOf(message), waitMs, cancelIfNotStarted };
      return toSellResponse(await sales.execute(call));
    },
    dryRunSell: async (message) => {
      const request = sellOf(message);
      return toDryRunSellResponse(request, await dryRuns.sell(message.agentId, request));
    },
    withdraw: async ({ amountUsdMicros, operationId, agentId, waitMs, cancelIfNotStarted }) => {
      const call = { operationId, agentId, request: { amountUsdMicros }, waitMs, cancelIfNotStarted };
      return toWithdrawResponse(await withdrawals.execute(call));
    },
    getBalance: async ({ agentId }) => {
      assertUuid('agentId', agentId);
      const { availableUsdMicros, reservedUsdMicros } = await money.balance(agentId);
      return { balanceUsdMicros: availableUsdMicros + reservedUsdMicros, reservedUsdMicros, availableUsdMicros };
    },
    listPositions: async ({ agentId, settled }) => {
      assertUuid('agentId', agentId);
      const { positions, openCount, settledCount } = await money.positions(agentId, settled);
      return { positions: positions.map(toPosition), openPositions: openCount, settledPositions: settledCount };
    },
    listOrders: async ({ agentId, ticker, limit, cursor }) => {
      assertUuid('agentId', agentId);
      const page = await money.orders(agentId, { ticker: ticker || undefined, limit, cursor });
      return { orders: page.orders.map(toListedOrder), cursor: page.cursor };
    },
  };
}
