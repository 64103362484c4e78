import type { Queryable } from '@agent-wallet/platform';
import type { HeldContracts, SettlementTerms } from '../../domain/ledger/post-settlement.js';

/** A settlement that has begun. */
export interface BegunSettlement extends SettlementTerms {
  readonly eventTicker: string;
  readonly begunAtMs: number;
  /** Money that the market still owes to its holders. */
  readonly dueUsdMicros: bigint;
}

/** Reports whether the settlement of a market has begun; under the market's lock. */
export async function isBegun(tx: Queryable, ticker: string): Promise<boolean> {
  const { rows } = await tx.query({
    name: 'ledger-settlement-begun',
    text: 'select from settlements where ticker = $1',
    values: [ticker],
  });
  return rows.length > 0;
}

/** Reads the settlement of a market; undefined when it has not begun. */
export async function readBegun(tx: Queryable, ticker: string): Promise<BegunSettlement | undefined> {
  const { rows } = await tx.query<{
    result: SettlementTerms['result'];
    value: string;
    event_ticker: string;
    begun: string;
    due: string;
  }>({
    name: 'ledger-begun-settlement',
    text: `select s.result, s.yes_value_usd_micros as value, coalesce(m.event_ticker, '') as event_ticker,
             s.begun_at_ms as begun,
             -coalesce((select sum(balance) from accounts a where a.ticker = $1 and kind = 'settlement_due'), 0)::bigint as due
           from settlements s left join markets m using (ticker) where s.ticker = $1`,
    values: [ticker],
  });
  const row = rows[0];
  return (
    row && {
      ticker,
      result: row.result,
      yesValueUsdMicros: BigInt(row.value),
      eventTicker: row.event_ticker,
      begunAtMs: Number(row.begun),
      dueUsdMicros: BigInt(row.due),
    }
  );
}

/** The state of a market that decides whether its settlement may begin. */
interface MarketState {
  readonly held: HeldContracts;
  readonly isBegun: boolean;
  /** Whether an operation may still change what is held. */
  readonly isBusy: boolean;
}

/** Reads what is held in a market, and whether its settlement may begin; under the market's lock. */
export async function readMarketState(tx: Queryable, ticker: string): Promise<MarketState> {
  const { rows } = await tx.query<{ is_begun: boolean; is_busy: boolean; yes: string; no: string }>({
    name: 'ledger-market-state',
    text: `select exists (select from settlements where ticker = $1) as is_begun,
             exists (select from orders where ticker = $1 and status = 'open')
             or exists (select from accounts where ticker = $1 and kind = 'position_locked') as is_busy,
             -coalesce(sum(balance) filter (where side = 'yes'), 0)::bigint as yes,
             -coalesce(sum(balance) filter (where side = 'no'), 0)::bigint as no
           from accounts where ticker = $1 and kind = 'outstanding'`,
    values: [ticker],
  });
  const { is_begun: begun, is_busy: isBusy, yes, no } = rows[0]!;
  return { isBegun: begun, isBusy, held: { yes: BigInt(yes), no: BigInt(no) } };
}
