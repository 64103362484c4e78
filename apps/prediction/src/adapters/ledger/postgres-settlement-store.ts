import { auditV1 } from '@agent-wallet/contracts';
import { type Clock, USD_DECIMALS } from '@agent-wallet/kernel';
import type { AgentFact, Outbox } from '@agent-wallet/events';
import type { Database, Queryable } from '@agent-wallet/platform';
import {
  postSettlement,
  type Holding,
  type MarketOutcome,
  type SettledHolding,
  type SettlementEntry,
} from '../../domain/ledger/post-settlement.js';
import type { Side } from '../../domain/ledger/side.js';
import type { HeldMarket, SettlementResult, SettlementStore } from '../../ports/settlement-store.js';
import { lockMarket, post } from './journal.js';
import { settlementOperationId } from './settlement-operation-id.js';

/** Dependencies of settlement posting. */
export interface SettlementPostingOptions {
  readonly database: Pick<Database, 'pool' | 'transaction'>;
  readonly outbox: Outbox;
  readonly clock: Clock;
}

/** One entry closes all holdings of a market, at some tenths of a millisecond each, however many there are. */
const TIMEOUT_MS = 10 * 60_000;

/** Settlement of markets, in the schema `prediction`. */
export class PostgresSettlementStore implements SettlementStore {
  constructor(private readonly options: SettlementPostingOptions) {}

  async heldMarkets(): Promise<readonly HeldMarket[]> {
    const { rows } = await this.options.database.pool.query<{ ticker: string; yes: string; no: string }>({
      name: 'ledger-held-markets',
      text: `select ticker, -coalesce(sum(balance) filter (where side = 'yes'), 0)::bigint as yes,
               -coalesce(sum(balance) filter (where side = 'no'), 0)::bigint as no
             from accounts where kind = 'outstanding' and balance <> 0 group by ticker order by ticker`,
    });
    return rows.map(({ ticker, yes, no }) => ({ ticker, yes: BigInt(yes), no: BigInt(no) }));
  }

  settle(outcome: MarketOutcome): Promise<SettlementResult> {
    return this.options.database.transaction(async (tx) => {
      await lockMarket(tx, outcome.ticker);
      const state = await readState(tx, outcome.ticker);
      if (state.is_settled) return 'settled_earlier';
      if (state.is_busy) return 'busy';
      const entry = postSettlement(outcome, await readHoldings(tx, outcome.ticker));
      if (!entry) return 'unpaid';
      await this.#book(tx, outcome, entry);
      return entry.isAsOwed ? 'settled' : 'differs';
    });
  }

  async #book(tx: Queryable, outcome: MarketOutcome, entry: SettlementEntry): Promise<void> {
    const { ticker } = outcome;
    const { lines, settled } = entry;
    const settledAtMs = this.options.clock.nowMs();
    await tx.query(`set local statement_timeout = ${TIMEOUT_MS}`);
    await tx.query({
      name: 'ledger-record-settlement',
      text: `insert into settlements (ticker, result, yes_value_usd_micros, revenue_usd_micros, fee_usd_micros,
               settled_at_ms) values ($1, $2, $3, $4, $5, $6)`,
      values: [
        ticker,
        outcome.result,
        outcome.yesValueUsdMicros,
        entry.revenueUsdMicros,
        outcome.paid?.tradingFeesUsdMicros ?? 0n,
        settledAtMs,
      ],
    });
    // Agents that had sold everything leave nothing to close.
    if (lines.length === 0) return;
    const about = { ...outcome, eventTicker: await readEventTicker(tx, ticker), settledAtMs };
    const facts = [...byAgent(settled)].map(([agentId, holdings]) => factOf({ ...about, agentId }, holdings));
    // Published first: from the posting on, the balances of all agents are locked.
    await this.options.outbox.writeAll(tx, facts);
    const entryId = await post(tx, { key: `settlement:${ticker}`, kind: 'settlement', lines, timeoutMs: TIMEOUT_MS });
    await keepSettled(tx, { ticker, entryId }, settled);
  }
}

async function readState(tx: Queryable, ticker: string): Promise<{ is_settled: boolean; is_busy: boolean }> {
  const { rows } = await tx.query<{ is_settled: boolean; is_busy: boolean }>({
    name: 'ledger-market-state',
    text: `select exists (select from settlements where ticker = $1) as is_settled,
             exists (select from orders where ticker = $1 and status = 'open')
             or exists (select from accounts where ticker = $1 and kind = 'position_locked') as is_busy`,
    values: [ticker],
  });
  return rows[0]!;
}

async function readHoldings(tx: Queryable, ticker: string): Promise<Holding[]> {
  const { rows } = await tx.query<{ agent_id: string; side: Side; quantity: string; cost: string }>({
    name: 'ledger-holdings',
    // One walk through the market's accounts, and no join, which can be planned badly when there are many.
    text: `select agent_id, side, sum(balance) filter (where kind = 'position') as quantity,
             coalesce(sum(balance) filter (where kind = 'position_cost'), 0) as cost
           from accounts where ticker = $1 and kind in ('position', 'position_cost')
           group by agent_id, side having sum(balance) filter (where kind = 'position') > 0 order by agent_id, side`,
    values: [ticker],
  });
  return rows.map((row) => ({
    agentId: row.agent_id,
    side: row.side,
    quantity: BigInt(row.quantity),
    costUsdMicros: BigInt(row.cost),
  }));
}

async function keepSettled(
  tx: Queryable,
  { ticker, entryId }: { readonly ticker: string; readonly entryId: string | undefined },
  settled: readonly SettledHolding[],
): Promise<void> {
  await tx.query({
    name: 'ledger-record-settled',
    text: `insert into settled_positions (agent_id, ticker, side, quantity, cost_usd_micros, payout_usd_micros, result,
             entry_id)
           select s.agent_id, $1, s.side, s.quantity, s.cost, s.payout, s.result, $2
           from unnest($3::uuid[], $4::text[], $5::bigint[], $6::bigint[], $7::bigint[], $8::text[])
             as s (agent_id, side, quantity, cost, payout, result)`,
    values: [
      ticker,
      entryId,
      settled.map(({ agentId }) => agentId),
      settled.map(({ side }) => side),
      settled.map(({ quantity }) => quantity),
      settled.map(({ costUsdMicros }) => costUsdMicros),
      settled.map(({ payoutUsdMicros }) => payoutUsdMicros),
      settled.map(({ result }) => result),
    ],
  });
}

async function readEventTicker(tx: Queryable, ticker: string): Promise<string> {
  const sql = 'select event_ticker from markets where ticker = $1';
  const { rows } = await tx.query<{ event_ticker: string }>(sql, [ticker]);
  return rows[0]?.event_ticker ?? '';
}

function byAgent(settled: readonly SettledHolding[]): ReadonlyMap<string, readonly SettledHolding[]> {
  const all = new Map<string, SettledHolding[]>();
  for (const holding of settled) all.set(holding.agentId, [...(all.get(holding.agentId) ?? []), holding]);
  return all;
}

/**
 * Creates the event of an agent's settled market: one operation for each agent and market, under an ID derived from
 * both.
 */
function factOf(
  about: MarketOutcome & { readonly eventTicker: string; readonly agentId: string; readonly settledAtMs: number },
  holdings: readonly SettledHolding[],
): AgentFact {
  const { ticker, agentId, eventTicker, result, yesValueUsdMicros } = about;
  const positions = holdings.map((holding) => ({
    side: holding.side,
    quantityHundredths: holding.quantity.toString(),
    costUsdMicros: holding.costUsdMicros.toString(),
    payoutUsdMicros: holding.payoutUsdMicros.toString(),
    settlementResult: holding.result,
  }));
  const metadata = { ticker, eventTicker, result, yesValueUsdMicros: yesValueUsdMicros.toString(), positions };
  const value: auditV1.OperationChanged = {
    operationId: settlementOperationId(ticker, agentId),
    revision: 1,
    action: 'prediction_settlement',
    status: auditV1.OperationStatus.OPERATION_STATUS_CONFIRMED,
    asset: 'USDC',
    amount: holdings.reduce((sum, { payoutUsdMicros }) => sum + payoutUsdMicros, 0n),
    decimals: USD_DECIMALS,
    to: '',
    signature: '',
    metadataJson: JSON.stringify(metadata),
    createdAtMs: BigInt(about.settledAtMs),
  };
  return { agentId, fact: { $case: 'operationChanged', value } };
}
