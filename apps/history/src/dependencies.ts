import { signerV1 } from '@agent-wallet/contracts';
import { type EventConsumer, openEventConsumer } from '@agent-wallet/events';
import {
  type Database,
  type Logger,
  openDatabase,
  openRpcClient,
  stopInOrder,
  type TlsIdentity,
} from '@agent-wallet/platform';
import { GrpcCheckpointSigner } from './adapters/grpc-checkpoint-signer.js';
import { PostgresChangeStore } from './adapters/postgres-change-store.js';
import { PostgresCheckpointStore } from './adapters/postgres-checkpoint-store.js';
import { PostgresEventChainStore } from './adapters/postgres-event-chain-store.js';
import { PostgresEventStore } from './adapters/postgres-event-store.js';
import { PostgresOperationStateStore } from './adapters/postgres-operation-state-store.js';
import { PostgresSpendingStore } from './adapters/postgres-spending-store.js';
import { PostgresTransactionStore } from './adapters/postgres-transaction-store.js';
import { PostgresUnprocessableEventStore } from './adapters/postgres-unprocessable-event-store.js';
import { FollowAgents } from './application/follow-agents.js';
import { GetProof } from './application/get-proof.js';
import { GetTransaction } from './application/get-transaction.js';
import { ListOperationStates } from './application/list-operation-states.js';
import { ListTransactions } from './application/list-transactions.js';
import { ListUnprocessableEvents } from './application/list-unprocessable-events.js';
import { MakeCheckpoints } from './application/make-checkpoints.js';
import { RecordEvents } from './application/record-events.js';
import { SumSpending } from './application/sum-spending.js';
import type { HistorySettings } from './settings.js';

const SCHEMA = 'history';

/** Use cases that callers reach. */
export interface HistoryUseCases {
  readonly listing: ListTransactions;
  readonly getting: GetTransaction;
  readonly spending: SumSpending;
  readonly proving: GetProof;
  readonly following: FollowAgents;
  readonly states: ListOperationStates;
  readonly unprocessable: ListUnprocessableEvents;
}

/** Dependencies that a test may replace. */
export interface HistoryOverrides {
  readonly logger?: Logger;
}

/** Inputs for opening the dependencies. */
interface Opening extends HistoryOverrides {
  readonly logger: Logger;
  readonly tls: TlsIdentity;
}

/** Use cases that were opened, what runs beside the callers, and how all of it is closed. */
export interface OpenDependencies extends HistoryUseCases {
  readonly logger: Logger;
  readonly database: Database;
  readonly consumer: EventConsumer;
  readonly recording: RecordEvents;
  readonly checkpoints: MakeCheckpoints;
  readonly close: () => Promise<void>;
}

/** Opens everything that the service works with. @throws SettingsError */
export function openDependencies(settings: HistorySettings, { logger, tls }: Opening): OpenDependencies {
  const database = openDatabase({ connection: settings.database, schema: SCHEMA, logger });
  const consumer = openEventConsumer(settings.stream, { database, consumer: SCHEMA, logger });
  const signer = openRpcClient({
    definition: signerV1.SignerServiceService,
    peer: { address: settings.checkpoints.signerAddress, service: 'signer' },
    tls,
  });
  const close = () =>
    stopInOrder(
      () => consumer.stop(),
      () => signer.close(),
      () => database.close(),
    );
  const transactions = new PostgresTransactionStore(database);
  const chain = new PostgresEventChainStore(database);
  return {
    listing: new ListTransactions(transactions, chain),
    getting: new GetTransaction(transactions),
    spending: new SumSpending(new PostgresSpendingStore(database)),
    proving: new GetProof(chain),
    following: new FollowAgents(new PostgresChangeStore(database)),
    states: new ListOperationStates(new PostgresOperationStateStore(database)),
    unprocessable: new ListUnprocessableEvents(new PostgresUnprocessableEventStore(database)),
    recording: new RecordEvents(new PostgresEventStore(database), logger),
    checkpoints: new MakeCheckpoints(new PostgresCheckpointStore(database), new GrpcCheckpointSigner(signer)),
    logger,
    database,
    consumer,
    close,
  };
}
