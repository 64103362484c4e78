import type { UsdPrice } from '@agent-wallet/kernel';
import { type Database, databaseError } from '@agent-wallet/platform';
import type { AcceptedPriceStore } from '@agent-wallet/prices';

interface PriceRow {
  readonly mint: string;
  readonly digits: string;
  readonly scale: number;
}

/** The last accepted prices in the schema `policy`. */
export class PostgresAcceptedPriceStore implements AcceptedPriceStore {
  constructor(private readonly database: Database) {}

  async load(mints: readonly string[]): Promise<ReadonlyMap<string, UsdPrice>> {
    const { rows } = await this.#query<PriceRow>(
      'select mint, digits, scale from accepted_prices where mint = any ($1)',
      [[...mints]],
    );
    return new Map(rows.map(({ mint, digits, scale }) => [mint, { digits: BigInt(digits), scale }]));
  }

  async save(mint: string, { digits, scale }: UsdPrice): Promise<void> {
    await this.#query(
      `insert into accepted_prices (mint, digits, scale, accepted_at) values ($1, $2, $3, policy.now())
       on conflict (mint) do update set digits = excluded.digits, scale = excluded.scale,
         accepted_at = excluded.accepted_at`,
      [mint, digits, scale],
    );
  }

  async #query<Row extends object>(text: string, values: unknown[]) {
    try {
      return await this.database.pool.query<Row>(text, values);
    } catch (error) {
      throw databaseError(error);
    }
  }
}
