import type { Database } from '@agent-wallet/platform';
import { PostgresEventChainStore } from './adapters/postgres-event-chain-store.js';
import { PostgresOperationStateStore } from './adapters/postgres-operation-state-store.js';
import { PostgresTransactionStore } from './adapters/postgres-transaction-store.js';
import type { EventChainStore } from './ports/event-chain-store.js';
import type { OperationStateStore } from './ports/operation-state-store.js';
import type { TransactionStore } from './ports/transaction-store.js';

/** What the use cases read. */
export interface HistoryDependencies {
  readonly transactions: TransactionStore;
  readonly chain: EventChainStore;
  readonly states: OperationStateStore;
}

/** Opens what the use cases read. */
export function openDependencies(database: Database): HistoryDependencies {
  return {
    transactions: new PostgresTransactionStore(database),
    chain: new PostgresEventChainStore(database),
    states: new PostgresOperationStateStore(database),
  };
}
