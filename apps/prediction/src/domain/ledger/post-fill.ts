import { borneFee, costUp, DOLLAR_USD_MICROS, least, worthDown, worthOfPairs } from './amounts.js';
import { entryOf, type Line, line } from './line.js';
import { opposite, type Side } from './side.js';

/** A trade, seen from the agent. */
export interface TradedContracts {
  readonly operationId: string;
  readonly agentId: string;
  readonly ticker: string;
  /** The agent's side, also when it sells. */
  readonly side: Side;
  readonly action: 'buy' | 'sell';
  readonly count: bigint;
  /** Price of a contract of the agent's side. */
  readonly priceUsdMicros: bigint;
  /** As the exchange charged it. */
  readonly feeUsdMicros: bigint;
}

/** The ledger's holdings before a fill. */
export interface FillState {
  /** Contracts of each side that all agents hold together. */
  readonly held: Readonly<Record<Side, bigint>>;
  /** The agent's contracts of its side, locked ones included, and what they cost. */
  readonly position: { readonly quantity: bigint; readonly costUsdMicros: bigint };
  readonly escrowUsdMicros: bigint;
}

/** The posted form of a fill. */
interface FillEntry {
  readonly lines: readonly Line[];
  /** The agent's cost or proceeds of the contracts, and the fee that it bears. */
  readonly totalUsdMicros: bigint;
  readonly feeUsdMicros: bigint;
  /** The ledger's holdings after the fill. */
  readonly after: FillState;
}

/**
 * Posts a purchase, paid from the escrow. Where it stands against the other side, the exchange nets both in our one
 * account. It then pays a dollar a pair at once, which we owe to the winning side.
 */
export function postPurchase(traded: TradedContracts, before: FillState): FillEntry {
  const { side, count, ticker, agentId, operationId } = traded;
  const cost = costUp(traded.priceUsdMicros, count);
  const due = cost + traded.feeUsdMicros;
  // Never more than was taken of the agent: a limit holds regardless of what the exchange charges.
  const paid = least(cost + borneFee(traded.feeUsdMicros), before.escrowUsdMicros);
  const total = least(cost, paid);
  const held = { ...before.held, [side]: before.held[side] + count };
  const released = worthOfPairs(pairsOf(held) - pairsOf(before.held));
  return {
    lines: entryOf([
      line('outstanding', -count, { ticker, side }),
      line('netted_pairs', -released, { ticker }),
      line('position', count, { agentId, ticker, side }),
      line('position_cost', total, { agentId, ticker, side }),
      line('agent_positions', -total, { agentId }),
      line('escrow', paid, { agentId, operationId }),
      line('exchange_costs', due - paid),
      line('exchange_cash', released - due),
    ]),
    totalUsdMicros: total,
    feeUsdMicros: paid - total,
    after: {
      held,
      position: {
        quantity: before.position.quantity + count,
        costUsdMicros: before.position.costUsdMicros + total,
      },
      escrowUsdMicros: before.escrowUsdMicros - paid,
    },
  };
}

/**
 * Posts a sale of locked contracts. The exchange knows only purchases: ours of the other side, of which it nets our
 * account's holdings of this one. For what it does not net, another agent holds the other side, and their pairs are no
 * longer owed.
 */
export function postSale(traded: TradedContracts, before: FillState): FillEntry {
  const { side, count, ticker, agentId, operationId } = traded;
  const proceeds = worthDown(traded.priceUsdMicros, count);
  const due = proceeds - traded.feeUsdMicros;
  // Of a fraction of a contract the fee can be more than the proceeds.
  const credit = proceeds - least(borneFee(traded.feeUsdMicros), proceeds);
  const held = { ...before.held, [side]: before.held[side] - count };
  const owedNoMore = worthOfPairs(pairsOf(before.held) - pairsOf(held));
  const { quantity, costUsdMicros } = before.position;
  const cost = quantity === count ? costUsdMicros : (costUsdMicros * count) / quantity;
  return {
    lines: entryOf([
      line('outstanding', count, { ticker, side }),
      line('netted_pairs', owedNoMore, { ticker }),
      line('position_locked', -count, { agentId, operationId, ticker, side }),
      line('position_cost', -cost, { agentId, ticker, side }),
      line('agent_positions', cost, { agentId }),
      line('prediction_balance', -credit, { agentId }),
      line('exchange_costs', credit - due),
      line('exchange_cash', due - owedNoMore),
    ]),
    totalUsdMicros: proceeds,
    feeUsdMicros: proceeds - credit,
    after: {
      held,
      position: { quantity: quantity - count, costUsdMicros: costUsdMicros - cost },
      escrowUsdMicros: before.escrowUsdMicros,
    },
  };
}

/** Yeses that stand against a no: $1 each is owed, under any result. */
function pairsOf(held: FillState['held']): bigint {
  return least(held.yes, held.no);
}

/** A fill as the exchange reports it: the side is the one that our account bought. */
export interface ReportedFill {
  readonly ticker: string;
  readonly side: Side;
  readonly count: bigint;
  readonly yesPriceUsdMicros: bigint;
  readonly noPriceUsdMicros: bigint;
}

/** Returns the price of the agent's side. @throws Error when it is not a fill of that order */
export function priceOf(fill: ReportedFill, order: Pick<TradedContracts, 'ticker' | 'side' | 'action'>): bigint {
  const bought = order.action === 'buy' ? order.side : opposite(order.side);
  const isOurs = fill.ticker === order.ticker && fill.side === bought && fill.count > 0n;
  const { yesPriceUsdMicros: yes, noPriceUsdMicros: no } = fill;
  if (!isOurs || yes < 0n || no < 0n || yes + no !== DOLLAR_USD_MICROS) {
    throw new Error(`the exchange reports a fill of ${fill.ticker} that does not belong to the order`);
  }
  return order.side === 'yes' ? yes : no;
}
