import { swapV1 } from '@agent-wallet/contracts';
import type { GrpcController } from '@agent-wallet/platform';
import { Controller, Inject } from '@nestjs/common';
import { SWAP_USE_CASES, type SwapUseCases } from '../application/use-cases.js';
import type { TradeRequest } from '../domain/trade-request.js';
import { toPreviewResponse, toTradeResponse } from './messages.js';

/** The swap service's gRPC surface. */
@Controller()
export class SwapController implements GrpcController<swapV1.SwapServiceService> {
  constructor(@Inject(SWAP_USE_CASES) private readonly useCases: SwapUseCases) {}

  async trade(message: swapV1.TradeRequest): Promise<swapV1.TradeResponse> {
    const { operationId, agentId, waitMs, onlyIfBegun } = message;
    const call = { operationId, agentId, request: requestOf(message), waitMs, onlyIfBegun };
    return toTradeResponse(await this.useCases.trade.execute(call));
  }

  async previewTrade(message: swapV1.PreviewTradeRequest): Promise<swapV1.PreviewTradeResponse> {
    const preview = await this.useCases.previewTrade.execute(message.agentId, requestOf(message));
    return toPreviewResponse(preview, message.slippageBps);
  }
}

function requestOf({ from, to, amount, slippageBps, allowRisky }: swapV1.PreviewTradeRequest): TradeRequest {
  return { from, to, amount, slippageBps, allowRisky };
}
