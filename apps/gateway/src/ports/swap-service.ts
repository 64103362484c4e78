import type { swapV1 } from '@agent-wallet/contracts';

/** The swap service. Methods throw AppError. */
export interface SwapService {
  /** Resolves when the service can be reached. @throws AppError SERVICE_UNAVAILABLE: nothing was sent */
  reach(): Promise<void>;
  /**
   * Trades, or says what became of the operation.
   * @throws OutcomeUnknown when there was no answer. An AppError is the operation's definite failure
   */
  trade(request: swapV1.TradeRequest, deadlineMs: number): Promise<swapV1.TradeResponse>;
  /** What a trade would come to; nothing happens. */
  previewTrade(request: swapV1.PreviewTradeRequest): Promise<swapV1.PreviewTradeResponse>;
}
