import type { Database } from '@agent-wallet/platform';
import type pg from 'pg';
import type { PolicyDatabase } from './database.js';

/** Side of a statement on which a replica dies: before it is sent, or before its answer arrives. */
export type Side = 'before' | 'after';

type Query = (...given: unknown[]) => Promise<unknown>;
type Callback = (error: unknown, result?: unknown) => void;

/** Message of the driver for a connection that is gone. */
const GONE = 'Connection terminated unexpectedly';

/**
 * The database of a replica that is killed at one of its statements. Counts all that goes over its connections, also the
 * beginning and the commit of a transaction. Postgres ends the connections, as it does when their process dies.
 */
export class MortalDatabase {
  readonly database: Database;
  readonly #inUse = new Set<pg.PoolClient>();
  #side: Side = 'before';
  #left = Infinity;
  #isDead = false;

  constructor(private readonly owner: PolicyDatabase) {
    this.database = owner.another();
    const { pool } = this.database;
    pool.on('connect', (client) => this.#watch(client));
    pool.on('acquire', (client) => this.#inUse.add(client));
    pool.on('release', (_, client) => this.#inUse.delete(client));
  }

  /** Does work, and dies at its n-th statement. @returns the error of the work, and whether the statement was reached */
  async dieAt(
    n: number,
    side: Side,
    work: () => Promise<unknown>,
  ): Promise<{ readonly error: unknown; readonly isKilled: boolean }> {
    [this.#left, this.#side] = [n, side];
    const error = await work().then(
      () => undefined,
      (caught: unknown) => caught,
    );
    const isKilled = this.#isDead;
    [this.#left, this.#isDead] = [Infinity, false];
    return { error, isKilled };
  }

  #watch(client: pg.PoolClient): void {
    const query = client.query.bind(client) as unknown as Query;
    const watched = (...given: unknown[]) => {
      // The pool's own statements have a callback.
      const callback = typeof given.at(-1) === 'function' ? (given.pop() as Callback) : undefined;
      const answer = this.#send(() => query(...given));
      if (!callback) return answer;
      answer.then(
        (result) => callback(undefined, result),
        (error: unknown) => callback(error),
      );
      return undefined;
    };
    Object.assign(client, { query: watched });
  }

  async #send(statement: () => Promise<unknown>): Promise<unknown> {
    if (this.#isDead) throw new Error(GONE);
    this.#left -= 1;
    if (this.#left !== 0) return statement();
    if (this.#side === 'after') await statement();
    await this.#die();
    throw new Error(GONE);
  }

  /** Ends all connections that are in use, and waits until Postgres has rolled back what they had open. */
  async #die(): Promise<void> {
    this.#isDead = true;
    const clients = [...this.#inUse];
    const ended = clients.map((client) => new Promise((resolve) => client.once('end', () => resolve(undefined))));
    const ids = clients.map((client) => (client as unknown as { processID: number }).processID);
    await this.owner.rows('select pg_terminate_backend(id) from unnest($1::int[]) as id', ids);
    await Promise.all(ended);
  }
}
