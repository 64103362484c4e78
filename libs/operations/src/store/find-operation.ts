import type { Database } from '@agent-wallet/platform';
import type { OperationRecord } from '../records/operation.js';
import { OperationStore } from './operation-store.js';
import type { StoredKind } from './statements.js';

/**
 * An operation of one kind as it is; undefined when there is none. Only reads.
 * @throws UnreadableJson; Error when the id is of another kind
 */
export async function findOperation<Request, Plan>(
  database: Database,
  kind: StoredKind<Request, Plan>,
  id: string,
): Promise<OperationRecord<Request, Plan> | undefined> {
  const found = await new OperationStore(database, [kind], 0).load(id);
  if (found && found.action !== kind.action) throw new Error(`operation ${id} is a ${found.action}`);
  return found as OperationRecord<Request, Plan> | undefined;
}
