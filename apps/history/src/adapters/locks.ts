import type { Database } from '@agent-wallet/platform';

/**
 * Advisory locks of history's schema: the first of their two numbers, the second is the schema's. One list, so that no two
 * kinds of work take one lock for another.
 */
export const LOCKS = {
  /** Under which the log grows. */
  append: 7_214_004,
  /** Lock of the replica that has checkpoints signed. */
  checkpoint: 7_214_005,
  /** Lock of the one rebuild that may run. */
  rebuild: 7_214_006,
} as const;

/**
 * The SQL that takes the lock under which the log grows, until the transaction ends. Replicas take turns: positions
 * become visible in their order, and replicas cannot deadlock on rows.
 */
export const APPEND_LOCK = `select pg_advisory_xact_lock(${LOCKS.append}, hashtext(current_schema()))`;

/** Returns the statements that take the same lock and hold it until it is released. */
export function heldAppendLock({ schema }: Database) {
  const values = [LOCKS.append, schema];
  return {
    take: { text: 'select pg_advisory_lock($1, hashtext($2))', values },
    giveBack: { text: 'select pg_advisory_unlock($1, hashtext($2))', values },
  };
}
