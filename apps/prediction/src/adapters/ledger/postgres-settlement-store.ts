import { auditV1 } from '@agent-wallet/contracts';
import { type Clock, NIL_UUID, USD_DECIMALS } from '@agent-wallet/kernel';
import type { AgentFact, Outbox } from '@agent-wallet/events';
import type { Database, Queryable } from '@agent-wallet/platform';
import {
  beginSettlement,
  payHoldings,
  type Holding,
  type MarketOutcome,
  type SettledHolding,
  type SettlementStartEntry,
} from '../../domain/ledger/post-settlement.js';
import type { Side } from '../../domain/ledger/side.js';
import type { HeldMarket, SettlementStart, SettlementStore } from '../../ports/settlement-store.js';
import { type BegunSettlement, readBegun, readMarketState } from './begun-settlements.js';
import { lockMarket, post } from './journal.js';
import { settlementOperationId } from './settlement-operation-id.js';

/** Dependencies of settlement posting. */
interface SettlementPostingOptions {
  readonly database: Pick<Database, 'pool' | 'transaction'>;
  readonly outbox: Outbox;
  readonly clock: Clock;
}

/** Holders paid in one transaction, at some tenths of a millisecond each; their balances are locked until it ends. */
const HOLDERS_PER_PART = 1_000;

/** Settlement of markets, in the schema `prediction`. */
export class PostgresSettlementStore implements SettlementStore {
  constructor(private readonly options: SettlementPostingOptions) {}

  async heldMarkets(): Promise<readonly HeldMarket[]> {
    const { rows } = await this.options.database.pool.query<{ ticker: string; is_begun: boolean }>({
      name: 'ledger-held-markets',
      text: `select ticker, bool_or(kind = 'settling') as is_begun from accounts
             where kind in ('outstanding', 'settling') and balance <> 0 group by ticker order by ticker`,
    });
    return rows.map((row) => ({ ticker: row.ticker, isBegun: row.is_begun }));
  }

  begin(outcome: MarketOutcome): Promise<SettlementStart> {
    return this.options.database.transaction(async (tx) => {
      await lockMarket(tx, outcome.ticker);
      const state = await readMarketState(tx, outcome.ticker);
      if (state.isBegun) return 'begun_earlier';
      if (state.isBusy) return 'busy';
      const entry = beginSettlement(outcome, state.held);
      if (!entry) return 'unpaid';
      await this.#recordTerms(tx, outcome, entry);
      return entry.isAsOwed ? 'begun' : 'differs';
    });
  }

  async #recordTerms(tx: Queryable, outcome: MarketOutcome, entry: SettlementStartEntry): Promise<void> {
    const { ticker } = outcome;
    const { lines, revenueUsdMicros } = entry;
    await tx.query({
      name: 'ledger-record-settlement',
      text: `insert into settlements (ticker, result, yes_value_usd_micros, revenue_usd_micros, fee_usd_micros,
               begun_at_ms) values ($1, $2, $3, $4, $5, $6)`,
      values: [
        ticker,
        outcome.result,
        outcome.yesValueUsdMicros,
        revenueUsdMicros,
        outcome.paid?.tradingFeesUsdMicros ?? 0n,
        this.options.clock.nowMs(),
      ],
    });
    // Agents that had sold everything leave nothing to close.
    if (lines.length > 0) await post(tx, { key: `settlement:${ticker}`, kind: 'settlement', lines });
  }

  async payHolders(ticker: string): Promise<void> {
    while (await this.#payPart(ticker));
  }

  /** Pays the next holders of a market, and returns whether more are left. */
  #payPart(ticker: string): Promise<boolean> {
    return this.options.database.transaction(async (tx) => {
      await lockMarket(tx, ticker);
      const begun = await readBegun(tx, ticker);
      if (!begun) throw new Error(`the settlement of ${ticker} has not begun`);
      const { part, isLast } = await readPart(tx, ticker);
      // Another replica has paid the last ones.
      if (part.size === 0) return false;
      const holdings = [...part.values()].flat();
      const { lines, settled } = payHoldings(begun, holdings, isLast ? begun.dueUsdMicros : undefined);
      const facts = [...byAgent(settled)].map(([agentId, theirs]) => factOf(begun, agentId, theirs));
      // Published first: from the posting on, the balances of these agents are locked.
      await this.options.outbox.writeAll(tx, facts);
      // A holder is paid once, so its ID names the part that begins with it.
      const key = `settlement:${ticker}:${holdings[0]!.agentId}`;
      const entryId = await post(tx, { key, kind: 'settlement', lines });
      await keepSettled(tx, { ticker, entryId }, settled);
      return !isLast;
    });
  }
}

/** Reads the holdings of the next holders that are not paid yet, and whether no others are left. */
async function readPart(
  tx: Queryable,
  ticker: string,
): Promise<{ part: ReadonlyMap<string, readonly Holding[]>; isLast: boolean }> {
  const { rows } = await tx.query<{ agent_id: string; side: Side; quantity: string; cost: string }>({
    name: 'ledger-next-holdings',
    // Paid positions are gone. All accounts of one agent are in one part: each is found by its key.
    text: `with holders as materialized (
             select distinct agent_id from accounts where ticker = $1 and kind = 'position' order by agent_id limit $2)
           select a.agent_id, a.side, sum(a.balance) filter (where kind = 'position') as quantity,
             coalesce(sum(a.balance) filter (where kind = 'position_cost'), 0) as cost
           from holders join accounts a using (agent_id)
           where a.ticker = $1 and a.kind in ('position', 'position_cost') and a.operation_id = $3
           group by a.agent_id, a.side order by a.agent_id, a.side`,
    values: [ticker, HOLDERS_PER_PART + 1, NIL_UUID],
  });
  const holdings = rows.map((row) => ({
    agentId: row.agent_id,
    side: row.side,
    quantity: BigInt(row.quantity),
    costUsdMicros: BigInt(row.cost),
  }));
  const holders = byAgent(holdings);
  const part = new Map([...holders].slice(0, HOLDERS_PER_PART));
  return { part, isLast: part.size === holders.size };
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

function byAgent<Each extends Holding>(holdings: readonly Each[]): ReadonlyMap<string, readonly Each[]> {
  const all = new Map<string, Each[]>();
  for (const holding of holdings) all.set(holding.agentId, [...(all.get(holding.agentId) ?? []), holding]);
  return all;
}

/**
 * Creates the event of an agent's settled market: one operation for each agent and market, under an ID derived from
 * both.
 */
function factOf(begun: BegunSettlement, agentId: string, holdings: readonly SettledHolding[]): AgentFact {
  const { ticker, eventTicker, result, yesValueUsdMicros } = begun;
  const positions = holdings.map((holding) => ({
    side: holding.side,
    quantityHundredths: holding.quantity,
    costUsdMicros: holding.costUsdMicros,
    payoutUsdMicros: holding.payoutUsdMicros,
    settlementResult: holding.result,
  }));
  const known = { ticker, eventTicker, result, yesValueUsdMicros, positions };
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
    facts: { action: { $case: 'predictionSettlement', value: known }, errorJson: '' },
    createdAtMs: BigInt(begun.begunAtMs),
  };
  return { agentId, fact: { $case: 'operationChanged', value } };
}
