import { charge, type FeeTerms, tradeFeeMicros } from './fees.js';
import { History } from './history.js';
import { DOLLAR_MICROS } from './market-state.js';
import { boughtBy, ownPrice } from './order-book.js';
import type { AccountFill, AccountOrder, AccountPosition, AccountSettlement, AccountView } from './records.js';
import type { Market } from './market.js';

/** $1 for each pair of hundredths of a contract. */
const PAIR_MICROS = 10_000n;
const CENT_MICROS = 10_000n;

interface KeptOrder {
  readonly history: History<AccountOrder>;
  /** Roundings of its fills that are not given back. */
  carriedMicros: bigint;
}

/** A part of an order that found its counterpart. */
interface Match {
  readonly orderId: string;
  readonly fillId: string;
  readonly market: Market;
  readonly hundredths: bigint;
  readonly yesPriceMicros: bigint;
  readonly isTaker: boolean;
  readonly timeMs: number;
}

/** The operator's account: its cash, its contracts, and everything it ever did. */
export class Account {
  cashMicros = 0n;
  private readonly orders = new Map<string, KeptOrder>();
  private readonly clientIds = new Set<string>();
  private readonly restingIds = new Set<string>();
  private readonly positions = new Map<string, History<AccountPosition>>();
  private readonly fills: AccountFill[] = [];
  private readonly settlements: AccountSettlement[] = [];
  private readonly money = new History<{ readonly cashMicros: bigint; readonly heldBackMicros: bigint }>();
  private updatedMs = 0;

  constructor(private readonly termsOf: (ticker: string) => FeeTerms) {}

  /** A client's id for an order counts for ever, also of one that was killed. */
  isUsed(clientOrderId: string): boolean {
    return this.clientIds.has(clientOrderId);
  }

  use(clientOrderId: string): void {
    this.clientIds.add(clientOrderId);
  }

  open(order: Omit<AccountOrder, 'seq'>): void {
    const history = new History<AccountOrder>();
    history.set(order.createdMs, { ...order, seq: this.orders.size + 1 });
    this.orders.set(order.orderId, { history, carriedMicros: 0n });
    this.restingIds.add(order.orderId);
  }

  order(orderId: string): AccountOrder | undefined {
    return this.orders.get(orderId)?.history.at();
  }

  /** Those that are not done. */
  resting(): AccountOrder[] {
    return [...this.restingIds].map((id) => this.order(id)!);
  }

  /** Changes an order; what is neither executed nor canceled rests. */
  amend(orderId: string, change: Partial<AccountOrder>, timeMs: number): AccountOrder {
    const { history } = this.orders.get(orderId)!;
    const order = { ...history.at()!, ...change, updatedMs: timeMs };
    history.set(timeMs, order);
    if (order.status !== 'resting') this.restingIds.delete(orderId);
    return order;
  }

  /** YES is positive, NO negative, in hundredths. */
  held(ticker: string): bigint {
    return this.position(ticker)?.hundredths ?? 0n;
  }

  position(ticker: string): AccountPosition | undefined {
    return this.positions.get(ticker)?.at();
  }

  /** Pays for and records one fill, with netting: each contract of the other side that it closes returns $1. */
  fill(match: Match): AccountFill {
    const { market, hundredths, yesPriceMicros, timeMs } = match;
    const kept = this.orders.get(match.orderId)!;
    const order = kept.history.at()!;
    const outcome = boughtBy(order.side);
    const price = ownPrice(outcome, yesPriceMicros);
    const costMicros = (price * hundredths) / 100n;
    const closed = closable(this.held(market.ticker), outcome, hundredths);
    const fee = tradeFeeMicros(market.terms, { hundredths, priceMicros: price, isTaker: match.isTaker });
    const charged = charge(closed * PAIR_MICROS - costMicros, fee, kept.carriedMicros);
    kept.carriedMicros = charged.carriedMicros;
    const fill: AccountFill = {
      seq: this.fills.length + 1,
      fillId: match.fillId,
      orderId: order.orderId,
      clientOrderId: order.clientOrderId,
      ticker: market.ticker,
      eventTicker: market.eventTicker,
      side: order.side,
      outcome,
      hundredths,
      yesPriceMicros,
      isTaker: match.isTaker,
      feeMicros: charged.feeMicros,
      cashMicros: charged.cashMicros,
      timeMs,
    };
    this.fills.push(fill);
    this.pay(fill.cashMicros, timeMs);
    this.take(fill, closed, costMicros);
    this.amend(order.orderId, progress(order, fill, costMicros), timeMs);
    return fill;
  }

  /** Pays what the contracts of a finalized market are worth, whole cents, and forgets them. */
  settle(market: Market, timeMs: number): AccountSettlement | undefined {
    const { ticker, eventTicker } = market;
    const position = this.position(ticker);
    if (!position || position.hundredths === 0n) return undefined;
    const { hundredths, exposureMicros } = position;
    const isYes = hundredths > 0n;
    const valueMicros = market.settlementValueMicros!;
    const paid = isYes ? valueMicros * hundredths : (DOLLAR_MICROS - valueMicros) * -hundredths;
    const revenueMicros = (paid / 100n / CENT_MICROS) * CENT_MICROS;
    const settlement: AccountSettlement = {
      seq: this.settlements.length + 1,
      ticker,
      eventTicker,
      result: market.result!,
      yesHundredths: isYes ? hundredths : 0n,
      yesCostMicros: isYes ? exposureMicros : 0n,
      noHundredths: isYes ? 0n : -hundredths,
      noCostMicros: isYes ? 0n : exposureMicros,
      revenueMicros,
      valueMicros,
      feesMicros: position.feesMicros,
      timeMs,
    };
    this.settlements.push(settlement);
    this.pay(revenueMicros, timeMs);
    const realizedMicros = position.realizedMicros + revenueMicros - exposureMicros;
    const after = { ...position, hundredths: 0n, exposureMicros: 0n, realizedMicros, updatedMs: timeMs };
    this.positions.get(ticker)!.set(timeMs, after);
    return settlement;
  }

  pay(deltaMicros: bigint, timeMs: number): void {
    this.cashMicros += deltaMicros;
    this.updatedMs = timeMs;
  }

  /** What resting orders hold back: what they would cost, less what they would only close. */
  heldBackMicros(): bigint {
    let sum = 0n;
    const left = new Map<string, bigint>();
    for (const { ticker, side, priceMicros, remainingHundredths: hundredths } of this.resting()) {
      const outcome = boughtBy(side);
      const held = left.get(ticker) ?? this.held(ticker);
      const closed = closable(held, outcome, hundredths);
      left.set(ticker, outcome === 'yes' ? held + closed : held - closed);
      const price = ownPrice(outcome, priceMicros);
      const fee = tradeFeeMicros(this.termsOf(ticker), { hundredths, priceMicros: price, isTaker: false });
      sum += (price * (hundredths - closed)) / 100n + fee;
    }
    return sum;
  }

  /** What of a position no resting order is going to close. */
  unclaimed(ticker: string): bigint {
    let held = this.held(ticker);
    for (const order of this.resting()) {
      if (order.ticker !== ticker) continue;
      const outcome = boughtBy(order.side);
      const closed = closable(held, outcome, order.remainingHundredths);
      held += outcome === 'yes' ? closed : -closed;
    }
    return held;
  }

  /** Remembers how the money stands at the end of a step. */
  stamp(timeMs: number): void {
    this.money.set(timeMs, { cashMicros: this.cashMicros, heldBackMicros: this.heldBackMicros() });
  }

  /** The account as it was at the end of a millisecond; positions of markets that `isOpen` then. */
  view(atMs = Infinity, isOpen: (ticker: string) => boolean = () => true): AccountView {
    const { orders } = this;
    const { cashMicros, heldBackMicros } = this.money.at(atMs) ?? { cashMicros: 0n, heldBackMicros: 0n };
    return {
      cashMicros,
      balanceMicros: cashMicros - heldBackMicros,
      updatedMs: Math.min(this.updatedMs, atMs),
      positions: [...this.positions].flatMap(([ticker, history]) => (isOpen(ticker) ? (history.at(atMs) ?? []) : [])),
      // There may be many, and most readers do not ask for them.
      get orders() {
        return [...orders.values()].flatMap(({ history }) => history.at(atMs) ?? []);
      },
      fills: upTo(this.fills, atMs),
      settlements: upTo(this.settlements, atMs),
    };
  }

  private take(fill: AccountFill, closed: bigint, costMicros: bigint): void {
    const { ticker, eventTicker, hundredths, timeMs } = fill;
    const before = this.position(ticker);
    const held = before?.hundredths ?? 0n;
    const exposure = before?.exposureMicros ?? 0n;
    const size = held < 0n ? -held : held;
    const released = closed === 0n ? 0n : (exposure * closed) / size;
    const opened = (costMicros * (hundredths - closed)) / hundredths;
    const proceeds = closed * PAIR_MICROS - (costMicros - opened);
    const history = this.positions.get(ticker) ?? new History<AccountPosition>();
    this.positions.set(ticker, history);
    history.set(timeMs, {
      ticker,
      eventTicker,
      hundredths: fill.outcome === 'yes' ? held + hundredths : held - hundredths,
      exposureMicros: exposure - released + opened,
      tradedMicros: (before?.tradedMicros ?? 0n) + costMicros,
      realizedMicros: (before?.realizedMicros ?? 0n) + proceeds - released,
      feesMicros: (before?.feesMicros ?? 0n) + fill.feeMicros,
      updatedMs: timeMs,
    });
  }
}

/** How much of a position a purchase of one outcome closes. */
export function closable(held: bigint, outcome: 'yes' | 'no', hundredths: bigint): bigint {
  const other = outcome === 'yes' ? -held : held;
  if (other <= 0n) return 0n;
  return other < hundredths ? other : hundredths;
}

function progress(order: AccountOrder, { hundredths, isTaker, feeMicros }: AccountFill, costMicros: bigint) {
  const remainingHundredths = order.remainingHundredths - hundredths;
  return {
    filledHundredths: order.filledHundredths + hundredths,
    remainingHundredths,
    status: remainingHundredths === 0n ? ('executed' as const) : order.status,
    ...(isTaker
      ? { takerCostMicros: order.takerCostMicros + costMicros, takerFeesMicros: order.takerFeesMicros + feeMicros }
      : { makerCostMicros: order.makerCostMicros + costMicros, makerFeesMicros: order.makerFeesMicros + feeMicros }),
  };
}

function upTo<T extends { readonly timeMs: number }>(list: readonly T[], atMs: number): readonly T[] {
  return atMs === Infinity ? list : list.filter(({ timeMs }) => timeMs <= atMs);
}
