import { swapV1 } from '@agent-wallet/contracts';
import { assertUuid } from '@agent-wallet/kernel';
import { Controller, Inject } from '@nestjs/common';
import { SWAP_USE_CASES, type SwapUseCases } from '../application/use-cases.js';
import type { TradeRequest } from '../domain/trade-request.js';
import { toPreviewResponse, toTradeResponse } from './messages.js';
import { toOperation } from '@agent-wallet/operations';

const OPEN_LIMIT = 100;

/** The swap service's gRPC surface. */
@Controller()
@swapV1.SwapServiceControllerMethods()
export class SwapController implements swapV1.SwapServiceController {
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

  async listOpenOperations(request: swapV1.ListOpenOperationsRequest): Promise<swapV1.ListOpenOperationsResponse> {
    const limit = Math.min(request.limit || OPEN_LIMIT, OPEN_LIMIT);
    const open = await this.useCases.desk.open({ minAgeMs: request.minAgeMs, limit });
    return { operations: open.map(toOperation) };
  }

  async explainOperation(request: swapV1.ExplainOperationRequest): Promise<swapV1.ExplainOperationResponse> {
    assertUuid('operationId', request.operationId);
    const { operation, explanation } = await this.useCases.desk.explain(request.operationId);
    return { operation: toOperation(operation), ...explanation };
  }

  async resendOperation(request: swapV1.ResendOperationRequest): Promise<swapV1.ResendOperationResponse> {
    const { operationId, operator, reason } = request;
    assertUuid('operationId', operationId);
    return { signature: await this.useCases.desk.resend(operationId, { operator, reason }) };
  }
}

function requestOf({ from, to, amount, slippageBps, allowRisky }: swapV1.PreviewTradeRequest): TradeRequest {
  return { from, to, amount, slippageBps, allowRisky };
}
