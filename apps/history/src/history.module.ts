import type { DynamicModule } from '@nestjs/common';
import { FollowAgents } from './application/follow-agents.js';
import { GetProof } from './application/get-proof.js';
import { GetTransaction } from './application/get-transaction.js';
import { ListOperationStates } from './application/list-operation-states.js';
import { ListTransactions } from './application/list-transactions.js';
import { ListUnprocessableEvents } from './application/list-unprocessable-events.js';
import type { HistoryDependencies } from './dependencies.js';
import { HistoryController } from './grpc/history.controller.js';

/** Binds the reading use cases to their gRPC surface; the writing one hangs on the event stream (start.ts). */
export class HistoryModule {
  static with({ transactions, chain, changes, states, unprocessable }: HistoryDependencies): DynamicModule {
    return {
      module: HistoryModule,
      controllers: [HistoryController],
      providers: [
        { provide: ListTransactions, useValue: new ListTransactions(transactions, chain) },
        { provide: GetTransaction, useValue: new GetTransaction(transactions) },
        { provide: GetProof, useValue: new GetProof(chain) },
        { provide: FollowAgents, useValue: new FollowAgents(changes) },
        { provide: ListOperationStates, useValue: new ListOperationStates(states) },
        { provide: ListUnprocessableEvents, useValue: new ListUnprocessableEvents(unprocessable) },
      ],
    };
  }
}
