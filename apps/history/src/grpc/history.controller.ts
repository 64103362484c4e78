import { historyV1 } from '@agent-wallet/contracts';
import { Controller, Inject } from '@nestjs/common';
import { GetTransaction } from '../application/get-transaction.js';
import { ListTransactions } from '../application/list-transactions.js';
import type { TransactionRecord } from '../domain/transaction-record.js';

/** History's gRPC surface. */
@Controller()
@historyV1.HistoryServiceControllerMethods()
export class HistoryController implements historyV1.HistoryServiceController {
  constructor(
    @Inject(ListTransactions) private readonly listing: ListTransactions,
    @Inject(GetTransaction) private readonly getting: GetTransaction,
  ) {}

  async listTransactions(request: historyV1.ListTransactionsRequest): Promise<historyV1.ListTransactionsResponse> {
    const { records, total } = await this.listing.execute({ ...request, action: request.action || undefined });
    return { transactions: records.map(toMessage), total: BigInt(total) };
  }

  async getTransaction(request: historyV1.GetTransactionRequest): Promise<historyV1.GetTransactionResponse> {
    return { transaction: toMessage(await this.getting.execute(request.agentId, request.transactionId)) };
  }
}

function toMessage({ recipient, createdAtMs, ...record }: TransactionRecord): historyV1.Transaction {
  return {
    id: record.id,
    action: record.action,
    asset: record.asset,
    amount: record.amount,
    decimals: record.decimals,
    to: recipient,
    signature: record.signature,
    status: record.status,
    metadataJson: record.metadataJson,
    createdAtMs: BigInt(createdAtMs),
  };
}
