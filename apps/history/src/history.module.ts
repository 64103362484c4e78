import type { DynamicModule } from '@nestjs/common';
import { GetProof } from './application/get-proof.js';
import { GetTransaction } from './application/get-transaction.js';
import { ListOperationStates } from './application/list-operation-states.js';
import { ListTransactions } from './application/list-transactions.js';
import { HistoryController } from './grpc/history.controller.js';
import type { EventChain } from './ports/event-chain.js';
import type { OperationStates } from './ports/operation-states.js';
import type { TransactionIndex } from './ports/transaction-index.js';

/** What the use cases read. */
export interface HistoryParts {
  readonly index: TransactionIndex;
  readonly chain: EventChain;
  readonly states: OperationStates;
}

/** Binds the reading use cases to their gRPC surface; the writing one hangs on the event stream (start.ts). */
export class HistoryModule {
  static with({ index, chain, states }: HistoryParts): DynamicModule {
    return {
      module: HistoryModule,
      controllers: [HistoryController],
      providers: [
        { provide: ListTransactions, useValue: new ListTransactions(index) },
        { provide: GetTransaction, useValue: new GetTransaction(index) },
        { provide: GetProof, useValue: new GetProof(chain) },
        { provide: ListOperationStates, useValue: new ListOperationStates(states) },
      ],
    };
  }
}
