import { swapV1 } from '@agent-wallet/contracts';
import type { GrpcController } from '@agent-wallet/platform';
import { Controller, Inject } from '@nestjs/common';
import { PreviewTrade, Trade } from '../application/trade.js';
import { toPreviewResponse, toTradeResponse, tradeRequestOf } from './messages.js';

/** The swap service's gRPC surface. */
@Controller()
export class SwapController implements GrpcController<swapV1.SwapServiceService> {
  constructor(
    @Inject(Trade) private readonly trades: Trade,
    @Inject(PreviewTrade) private readonly previews: PreviewTrade,
  ) {}

  async trade(message: swapV1.TradeRequest): Promise<swapV1.TradeResponse> {
    const { operationId, agentId, waitMs, onlyIfBegun } = message;
    const call = { operationId, agentId, request: tradeRequestOf(message), waitMs, onlyIfBegun };
    return toTradeResponse(await this.trades.execute(call));
  }

  async previewTrade(message: swapV1.PreviewTradeRequest): Promise<swapV1.PreviewTradeResponse> {
    const preview = await this.previews.execute(message.agentId, tradeRequestOf(message));
    return toPreviewResponse(preview, message.slippageBps);
  }
}
