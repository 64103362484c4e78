import type { Database } from '@agent-wallet/platform';
import { LOCKS } from './locks.js';

/**
 * The SQL that takes the lock under which the log grows, until the transaction ends. Replicas take turns: positions
 * become visible in their order, and nobody waits for anybody's rows in a circle.
 */
export const APPEND_LOCK = `select pg_advisory_xact_lock(${LOCKS.append}, hashtext(current_schema()))`;

/** The statements that take the same lock until it is given back. */
export function heldAppendLock({ schema }: Database) {
  const values = [LOCKS.append, schema];
  return {
    take: { text: 'select pg_advisory_lock($1, hashtext($2))', values },
    giveBack: { text: 'select pg_advisory_unlock($1, hashtext($2))', values },
  };
}
