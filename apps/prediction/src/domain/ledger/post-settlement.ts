import { DOLLAR_USD_MICROS, least, worthDown, worthOfPairs } from './amounts.js';
import { entryOf, type Line, line } from './line.js';
import type { Side } from './side.js';

/** The terms on which holders of a market are paid. */
export interface SettlementTerms {
  readonly ticker: string;
  readonly result: 'yes' | 'no' | 'scalar' | 'void';
  /** Payout of a yes contract; a no contract pays the rest of a dollar. */
  readonly yesValueUsdMicros: bigint;
}

/** The end of a market. */
export interface MarketOutcome extends SettlementTerms {
  /**
   * The payment to our account and the fees, as the exchange reports them. The fees are those of all our trades in the
   * market, paid with their fills. Undefined when it reports nothing.
   */
  readonly paid: { readonly revenueUsdMicros: bigint; readonly tradingFeesUsdMicros: bigint } | undefined;
}

/** An agent's holding in a market. */
export interface Holding {
  readonly agentId: string;
  readonly side: Side;
  readonly quantity: bigint;
  readonly costUsdMicros: bigint;
}

/** A holding after settlement. */
export interface SettledHolding extends Holding {
  readonly payoutUsdMicros: bigint;
  readonly result: 'won' | 'lost' | 'void' | 'scalar';
}

/** Contracts of a market that agents hold, by side. */
export type HeldContracts = Readonly<Record<Side, bigint>>;

/** The posted form of the beginning of a settlement. */
export interface SettlementStartEntry {
  readonly lines: readonly Line[];
  /** The amount posted as the exchange's payment. */
  readonly revenueUsdMicros: bigint;
  /** Whether the exchange paid what our account is owed. */
  readonly isAsOwed: boolean;
}

/** The posted form of payments to holders. */
interface PayoutsEntry {
  readonly lines: readonly Line[];
  readonly settled: readonly SettledHolding[];
}

/** The exchange rounds what it pays to whole cents. */
const ROUNDING_USD_MICROS = 10_000n;

/**
 * Closes a market towards the exchange. The exchange pays for what our account holds on balance, the pairs it paid earlier
 * are in our ledger, and together they are what all agents are owed. A payment that differs by more than a rounding is not
 * posted: agents get what they are owed, and the reconciliation of the cash shows it. No fee is posted: the exchange takes
 * none, and the reconciliation shows if it ever does.
 * @returns undefined while the exchange owes our account something and has not paid
 */
export function beginSettlement(outcome: MarketOutcome, held: HeldContracts): SettlementStartEntry | undefined {
  const { ticker, paid: payment } = outcome;
  if (!payment && held.yes !== held.no) return undefined;
  const owed = expectedRevenue(held, outcome.yesValueUsdMicros);
  const said = payment?.revenueUsdMicros ?? 0n;
  const isAsOwed = (said > owed ? said - owed : owed - said) <= ROUNDING_USD_MICROS;
  const revenueUsdMicros = isAsOwed ? said : owed;
  const pairs = worthOfPairs(least(held.yes, held.no));
  const contracts = (['yes', 'no'] as const).flatMap((side) => [
    line('outstanding', held[side], { ticker, side }),
    line('settling', -held[side], { ticker, side }),
  ]);
  return {
    revenueUsdMicros,
    isAsOwed,
    lines: entryOf([
      ...contracts,
      line('netted_pairs', pairs, { ticker }),
      line('settlement_due', -pairs - owed, { ticker }),
      line('rounding', owed - revenueUsdMicros),
      line('exchange_cash', revenueUsdMicros),
    ]),
  };
}

/**
 * Pays some holders of a market that is being settled. Payouts are rounded down, so that all of them are never more than
 * is due; the last payment posts the fractions that are left.
 * @param leftUsdMicros what is due before the last payment; undefined for any other
 */
export function payHoldings(
  terms: SettlementTerms,
  holdings: readonly Holding[],
  leftUsdMicros: bigint | undefined,
): PayoutsEntry {
  const { ticker } = terms;
  const settled = holdings.map((holding) => settleHolding(terms, holding));
  const held = heldOf(holdings);
  const paid = settled.reduce((sum, { payoutUsdMicros }) => sum + payoutUsdMicros, 0n);
  const fractions = leftUsdMicros === undefined ? 0n : leftUsdMicros - paid;
  const lines = settled.flatMap(({ agentId, side, quantity, costUsdMicros, payoutUsdMicros }) => [
    line('position', -quantity, { agentId, ticker, side }),
    line('position_cost', -costUsdMicros, { agentId, ticker, side }),
    line('agent_positions', costUsdMicros, { agentId }),
    line('prediction_balance', -payoutUsdMicros, { agentId }),
  ]);
  return {
    settled,
    lines: entryOf([
      line('settling', held.yes, { ticker, side: 'yes' }),
      line('settling', held.no, { ticker, side: 'no' }),
      line('settlement_due', paid + fractions, { ticker }),
      ...lines,
      line('rounding', -fractions),
    ]),
  };
}

/** Returns the amount that the exchange owes our one account, before it rounds. */
function expectedRevenue(held: HeldContracts, yesValueUsdMicros: bigint): bigint {
  const net = held.yes - held.no;
  return net >= 0n ? worthDown(yesValueUsdMicros, net) : worthDown(DOLLAR_USD_MICROS - yesValueUsdMicros, -net);
}

/** Contracts of each side in all. */
function heldOf(holdings: readonly Pick<Holding, 'side' | 'quantity'>[]): Record<Side, bigint> {
  const held = { yes: 0n, no: 0n };
  for (const { side, quantity } of holdings) held[side] += quantity;
  return held;
}

function settleHolding({ result, yesValueUsdMicros }: SettlementTerms, holding: Holding): SettledHolding {
  const value = holding.side === 'yes' ? yesValueUsdMicros : DOLLAR_USD_MICROS - yesValueUsdMicros;
  const payoutUsdMicros = worthDown(value, holding.quantity);
  if (result === 'scalar' || result === 'void') return { ...holding, payoutUsdMicros, result };
  return { ...holding, payoutUsdMicros, result: result === holding.side ? 'won' : 'lost' };
}
