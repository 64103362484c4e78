import type { swapV1 } from '@agent-wallet/contracts';
import type { GrpcController } from '@agent-wallet/platform';
import type { SwapUseCases } from '../dependencies.js';
import {
  addRequestOf,
  removeRequestOf,
  toAddResponse,
  toDryRunAddition,
  toDryRunRemoval,
  toRemoveResponse,
} from './liquidity-messages.js';
import { poolQueryOf, toPool, toPositions } from './pool-messages.js';
import { toDryRunResponse, toTradeResponse, tradeRequestOf } from './messages.js';

/** Handles the swap service's gRPC methods. */
export function swapService(useCases: SwapUseCases): GrpcController<swapV1.SwapServiceService> {
  const { trades, dryRunTrades, additions, removals, pools, positions } = useCases;
  return {
    trade: async (message) => {
      const { operationId, agentId, waitMs, cancelIfNotStarted } = message;
      const call = { operationId, agentId, request: tradeRequestOf(message), waitMs, cancelIfNotStarted };
      return toTradeResponse(await trades.execute(call));
    },
    dryRunTrade: async (message) =>
      toDryRunResponse(await dryRunTrades.execute(message.agentId, tradeRequestOf(message))),
    addLiquidity: async (message) => {
      const { operationId, agentId, waitMs, cancelIfNotStarted } = message;
      const call = { operationId, agentId, request: addRequestOf(message), waitMs, cancelIfNotStarted };
      return toAddResponse(await additions.execute(call));
    },
    dryRunAddLiquidity: async (message) =>
      toDryRunAddition(await additions.dryRun(message.agentId, addRequestOf(message))),
    removeLiquidity: async (message) => {
      const { operationId, agentId, waitMs, cancelIfNotStarted } = message;
      const call = { operationId, agentId, request: removeRequestOf(message), waitMs, cancelIfNotStarted };
      return toRemoveResponse(await removals.execute(call));
    },
    dryRunRemoveLiquidity: async (message) =>
      toDryRunRemoval(await removals.dryRun(message.agentId, removeRequestOf(message))),
    listPools: async (message) => {
      const { pools: page, cursor } = await pools.list(poolQueryOf(message));
      return { pools: page.map(toPool), cursor };
    },
    getPool: async ({ pool }) => ({ pool: toPool(await pools.get(pool)) }),
    listPositions: async ({ agentId }) => toPositions(await positions.execute(agentId)),
  };
}
