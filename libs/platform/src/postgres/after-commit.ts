import type pg from 'pg';

type Queryable = Pick<pg.ClientBase, 'query'>;
type Work = (pool: Queryable) => void;

interface OpenTransaction {
  readonly pool: Queryable;
  readonly works: Set<Work>;
}

const open = new WeakMap<Queryable, OpenTransaction>();

/**
 * Has something done once what was written is committed. Written in a transaction of `Database`: after its commit, and
 * never when it is rolled back. Written on a pool, whose statements commit by themselves: at once.
 * @param work must not throw; it is given the pool, and is done once however often it is asked for
 */
export function afterCommit(on: Queryable, work: Work): void {
  const transaction = open.get(on);
  if (transaction) transaction.works.add(work);
  else work(on);
}

/** Notes that a client of a pool has a transaction open. @returns what to call after its commit, or after its end */
export function noteTransaction(pool: Queryable, client: Queryable): { committed(): void; ended(): void } {
  const works = new Set<Work>();
  open.set(client, { pool, works });
  return { committed: () => works.forEach((work) => work(pool)), ended: () => open.delete(client) };
}
