import { formatAmount, parseUsdPrice, type UsdPrice } from '@agent-wallet/kernel';
import { type Database, databaseError } from '@agent-wallet/platform';
import type { AcceptedPriceStore, StoredPrice } from '@agent-wallet/prices';
import type pg from 'pg';

interface PriceRow {
  readonly mint: string;
  readonly digits: string;
  readonly scale: number;
  readonly highest: string | null;
}

/** The accepted prices in the schema `policy`. */
export class PostgresAcceptedPriceStore implements AcceptedPriceStore {
  constructor(private readonly database: Database) {}

  async load(mints: readonly string[]): Promise<ReadonlyMap<string, StoredPrice>> {
    const { rows } = await this.#query<PriceRow>({
      name: 'policy-load-accepted-prices',
      // An hour counts until its last moment is a day ago.
      text: `select p.mint, p.digits, p.scale,
               (select max(h.usd)::text from accepted_highs h
                where h.mint = p.mint and h.hour > policy.now() - interval '25 hours') as highest
             from accepted_prices p where p.mint = any ($1)`,
      values: [[...mints]],
    });
    return new Map(rows.map((row) => [row.mint, storedPrice(row)]));
  }

  async save(mint: string, { digits, scale }: UsdPrice): Promise<void> {
    await this.#query({
      name: 'policy-save-accepted-price',
      text: `with high as (
               insert into accepted_highs (mint, hour, usd) values ($1, date_trunc('hour', policy.now()), $4)
               on conflict (mint, hour) do update set usd = greatest(accepted_highs.usd, excluded.usd)),
             past as (delete from accepted_highs where mint = $1 and hour <= policy.now() - interval '25 hours')
             insert into accepted_prices (mint, digits, scale, accepted_at) values ($1, $2, $3, policy.now())
             on conflict (mint) do update set digits = excluded.digits, scale = excluded.scale,
               accepted_at = excluded.accepted_at`,
      values: [mint, digits, scale, formatAmount(digits, scale)],
    });
  }

  async #query<Row extends object>(query: pg.QueryConfig) {
    try {
      return await this.database.pool.query<Row>(query);
    } catch (error) {
      throw databaseError(error);
    }
  }
}

function storedPrice({ digits, scale, highest }: PriceRow): StoredPrice {
  return { last: { digits: BigInt(digits), scale }, highest: highest === null ? undefined : parseUsdPrice(highest) };
}
