import type { historyV1 } from '@agent-wallet/contracts';

/** The history service. Methods throw AppError. */
export interface HistoryService {
  list(request: historyV1.ListTransactionsRequest): Promise<historyV1.ListTransactionsResponse>;
  /** One record; undefined when history does not know it (yet). */
  find(agentId: string, transactionId: string): Promise<historyV1.Transaction | undefined>;
  /** A part of the agent's hash chain. @throws AppError NOT_FOUND for an event to begin after that is not the agent's */
  prove(request: historyV1.GetProofRequest): Promise<historyV1.GetProofResponse>;
  /** Resolves when the service can be reached. @throws AppError */
  reach(): Promise<void>;
}
