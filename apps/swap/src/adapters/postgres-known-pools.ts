import { RecentlyUsed } from '@agent-wallet/kernel';
import { databaseError, type Queryable } from '@agent-wallet/platform';
import type { KnownPools } from '../ports/pool-directory.js';

/** Pools that this process has written. */
const MAX_KEPT = 10_000;

/** Known pools in the schema `swap`. */
export class PostgresKnownPools implements KnownPools {
  readonly #written = new RecentlyUsed<true>(MAX_KEPT);

  constructor(private readonly database: Queryable) {}

  async remember(lpMint: string, pool: string): Promise<void> {
    if (this.#written.use(lpMint)) return;
    await this.#rows({
      name: 'remember-pool',
      text: 'insert into known_pools (lp_mint, pool) values ($1, $2) on conflict do nothing',
      values: [lpMint, pool],
    });
    this.#written.keep(lpMint, true);
  }

  async find(lpMints: readonly string[]): Promise<ReadonlyMap<string, string>> {
    const rows = await this.#rows<{ lp_mint: string; pool: string }>({
      name: 'find-pools',
      text: 'select lp_mint, pool from known_pools where lp_mint = any ($1)',
      values: [lpMints],
    });
    return new Map(rows.map(({ lp_mint: lpMint, pool }) => [lpMint, pool]));
  }

  async #rows<Row extends object>(statement: { name: string; text: string; values: unknown[] }): Promise<Row[]> {
    try {
      return (await this.database.query<Row>(statement)).rows;
    } catch (error) {
      throw databaseError(error);
    }
  }
}
