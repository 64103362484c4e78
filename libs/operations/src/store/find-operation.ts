import type { Database } from '@agent-wallet/platform';
import type { OperationRecord } from '../records/operation.js';
import { OperationStore } from './operation-store.js';
import type { StoredHandler } from './operation-rows.js';

/**
 * Returns an operation of one handler; undefined when there is none. Only reads.
 * @throws UnreadableJson; Error when the id is of another handler
 */
export async function findOperation<Request, Plan>(
  database: Database,
  handler: StoredHandler<Request, Plan>,
  id: string,
): Promise<OperationRecord<Request, Plan> | undefined> {
  const found = await new OperationStore(database, [handler], 0).load(id);
  if (found && found.action !== handler.action) throw new Error(`operation ${id} is a ${found.action}`);
  return found as OperationRecord<Request, Plan> | undefined;
}
