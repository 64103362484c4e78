import { swapV1 } from '@agent-wallet/contracts';
import type { GrpcController } from '@agent-wallet/platform';
import { Controller, Inject } from '@nestjs/common';
import { DryRunTrade, Trade } from '../application/trade.js';
import { toDryRunResponse, toTradeResponse, tradeRequestOf } from './messages.js';

/** The swap service's gRPC surface. */
@Controller()
export class SwapController implements GrpcController<swapV1.SwapServiceService> {
  constructor(
    @Inject(Trade) private readonly trades: Trade,
    @Inject(DryRunTrade) private readonly dryRuns: DryRunTrade,
  ) {}

  async trade(message: swapV1.TradeRequest): Promise<swapV1.TradeResponse> {
    const { operationId, agentId, waitMs, cancelIfNotStarted } = message;
    const call = { operationId, agentId, request: tradeRequestOf(message), waitMs, cancelIfNotStarted };
    return toTradeResponse(await this.trades.execute(call));
  }

  async dryRunTrade(message: swapV1.DryRunTradeRequest): Promise<swapV1.DryRunTradeResponse> {
    const dryRun = await this.dryRuns.execute(message.agentId, tradeRequestOf(message));
    return toDryRunResponse(dryRun, message.slippageBps);
  }
}
