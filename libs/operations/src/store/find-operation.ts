import type { Database } from '@agent-wallet/platform';
import type { OperationRecord } from '../records/operation.js';
import { OperationStore } from './operation-store.js';

/** An operation as it is; undefined when there is none. Only reads. */
export function findOperation(database: Database, id: string): Promise<OperationRecord | undefined> {
  return new OperationStore(database, 0).load(id);
}
