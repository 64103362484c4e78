import type { predictionV1 } from '@agent-wallet/contracts';

/** Agents' orders, positions and prediction money. Methods throw AppError. */
export interface PredictionService {
  /** Resolves when the service can be reached. @throws AppError SERVICE_UNAVAILABLE: nothing was sent */
  reach(): Promise<void>;
  /**
   * Buys contracts, or says what became of the operation.
   * @throws OutcomeUnknown when there was no answer. An AppError is the operation's definite failure
   */
  buy(request: predictionV1.BuyRequest, deadlineMs: number): Promise<predictionV1.BuyResponse>;
  /** Sells contracts, or says what became of the operation. @throws as buy does */
  sell(request: predictionV1.SellRequest, deadlineMs: number): Promise<predictionV1.SellResponse>;
  /** Pays prediction balance out, or says what became of the operation. @throws as buy does */
  withdraw(request: predictionV1.WithdrawRequest, deadlineMs: number): Promise<predictionV1.WithdrawResponse>;
  /** What a buy would come to; nothing happens. */
  previewBuy(request: predictionV1.PreviewBuyRequest): Promise<predictionV1.PreviewBuyResponse>;
  /** What a sale would come to; nothing happens. */
  previewSell(request: predictionV1.PreviewSellRequest): Promise<predictionV1.PreviewSellResponse>;
  balance(agentId: string): Promise<predictionV1.GetBalanceResponse>;
  positions(request: predictionV1.ListPositionsRequest): Promise<predictionV1.ListPositionsResponse>;
  orders(request: predictionV1.ListOrdersRequest): Promise<predictionV1.ListOrdersResponse>;
}
