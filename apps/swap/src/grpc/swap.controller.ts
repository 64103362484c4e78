import type { swapV1 } from '@agent-wallet/contracts';
import type { GrpcController } from '@agent-wallet/platform';
import { Controller, Inject } from '@nestjs/common';
import { ListPositions } from '../application/liquidity/list-positions.js';
import type { ProvideLiquidity } from '../application/liquidity/provide-liquidity.js';
import { ReadPools } from '../application/liquidity/read-pools.js';
import { DryRunTrade, Trade } from '../application/trade.js';
import type { AddRequest, RemoveRequest } from '../domain/liquidity/liquidity.js';
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

/** Names of the use cases that share a class. */
export const ADD_LIQUIDITY = Symbol('AddLiquidity');
export const REMOVE_LIQUIDITY = Symbol('RemoveLiquidity');

/** The swap service's gRPC surface. */
@Controller()
export class SwapController implements GrpcController<swapV1.SwapServiceService> {
  constructor(
    @Inject(Trade) private readonly trades: Trade,
    @Inject(DryRunTrade) private readonly dryRuns: DryRunTrade,
    @Inject(ADD_LIQUIDITY) private readonly additions: ProvideLiquidity<AddRequest>,
    @Inject(REMOVE_LIQUIDITY) private readonly removals: ProvideLiquidity<RemoveRequest>,
    @Inject(ReadPools) private readonly pools: ReadPools,
    @Inject(ListPositions) private readonly positions: ListPositions,
  ) {}

  async trade(message: swapV1.TradeRequest): Promise<swapV1.TradeResponse> {
    const { operationId, agentId, waitMs, cancelIfNotStarted } = message;
    const call = { operationId, agentId, request: tradeRequestOf(message), waitMs, cancelIfNotStarted };
    return toTradeResponse(await this.trades.execute(call));
  }

  async dryRunTrade(message: swapV1.DryRunTradeRequest): Promise<swapV1.DryRunTradeResponse> {
    return toDryRunResponse(await this.dryRuns.execute(message.agentId, tradeRequestOf(message)));
  }

  async addLiquidity(message: swapV1.AddLiquidityRequest): Promise<swapV1.AddLiquidityResponse> {
    const { operationId, agentId, waitMs, cancelIfNotStarted } = message;
    const call = { operationId, agentId, request: addRequestOf(message), waitMs, cancelIfNotStarted };
    return toAddResponse(await this.additions.execute(call));
  }

  async dryRunAddLiquidity(message: swapV1.DryRunAddLiquidityRequest): Promise<swapV1.DryRunAddLiquidityResponse> {
    return toDryRunAddition(await this.additions.dryRun(message.agentId, addRequestOf(message)));
  }

  async removeLiquidity(message: swapV1.RemoveLiquidityRequest): Promise<swapV1.RemoveLiquidityResponse> {
    const { operationId, agentId, waitMs, cancelIfNotStarted } = message;
    const call = { operationId, agentId, request: removeRequestOf(message), waitMs, cancelIfNotStarted };
    return toRemoveResponse(await this.removals.execute(call));
  }

  async dryRunRemoveLiquidity(
    message: swapV1.DryRunRemoveLiquidityRequest,
  ): Promise<swapV1.DryRunRemoveLiquidityResponse> {
    return toDryRunRemoval(await this.removals.dryRun(message.agentId, removeRequestOf(message)));
  }

  async listPools(message: swapV1.ListPoolsRequest): Promise<swapV1.ListPoolsResponse> {
    const { pools, cursor } = await this.pools.list(poolQueryOf(message));
    return { pools: pools.map(toPool), cursor };
  }

  async getPool({ pool }: swapV1.GetPoolRequest): Promise<swapV1.GetPoolResponse> {
    return { pool: toPool(await this.pools.get(pool)) };
  }

  async listPositions({ agentId }: swapV1.ListPositionsRequest): Promise<swapV1.ListPositionsResponse> {
    return toPositions(await this.positions.execute(agentId));
  }
}
