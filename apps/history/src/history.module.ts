import type { DynamicModule } from '@nestjs/common';
import { GetTransaction } from './application/get-transaction.js';
import { ListTransactions } from './application/list-transactions.js';
import { HistoryController } from './grpc/history.controller.js';
import type { TransactionIndex } from './ports/transaction-index.js';

/** Binds the reading use cases to their gRPC surface; the writing one hangs on the event stream (start.ts). */
export class HistoryModule {
  static with(index: TransactionIndex): DynamicModule {
    return {
      module: HistoryModule,
      controllers: [HistoryController],
      providers: [
        { provide: ListTransactions, useValue: new ListTransactions(index) },
        { provide: GetTransaction, useValue: new GetTransaction(index) },
      ],
    };
  }
}
