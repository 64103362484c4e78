import type { Side } from '../src/domain/ledger/side.js';

type Sides = Record<Side, bigint>;

/** A seeded source of numbers (mulberry32). */
export function randomOf(seed: number) {
  let state = seed >>> 0;
  const next = () => {
    state = (state + 0x6d2b79f5) >>> 0;
    let t = state;
    t = Math.imul(t ^ (t >>> 15), t | 1);
    t ^= t + Math.imul(t ^ (t >>> 7), t | 61);
    return ((t ^ (t >>> 14)) >>> 0) / 2 ** 32;
  };
  const below = (count: number) => Math.floor(next() * count);
  return {
    below,
    between: (least: number, most: number) => least + below(most - least + 1),
    chance: (probability: number) => next() < probability,
    pick: <Item>(items: readonly Item[]) => items[below(items.length)]!,
  };
}
export type Random = ReturnType<typeof randomOf>;

/**
 * A plain model of the upstreams: the exchange's one account with a balance of contracts for each market, the treasury,
 * and what each agent is owed and holds. It has neither double entry nor netting between agents.
 */
export class Model {
  treasury = 0n;
  cash = 0n;
  /** What the exchange and roundings cost the operator. */
  lost = 0n;
  /** Yes is positive. */
  readonly net = new Map<string, bigint>();
  readonly balances = new Map<string, bigint>();
  readonly holdings = new Map<string, Sides>();

  holding(agentId: string, ticker: string): Sides {
    const key = `${agentId} ${ticker}`;
    const found = this.holdings.get(key) ?? { yes: 0n, no: 0n };
    this.holdings.set(key, found);
    return found;
  }

  credit(agentId: string, amount: bigint): void {
    this.balances.set(agentId, (this.balances.get(agentId) ?? 0n) + amount);
  }

  /** The exchange's account buys contracts of a side; what it holds of the other goes, at a dollar each. */
  trade(ticker: string, side: Side, { count, price, fee }: { count: bigint; price: bigint; fee: bigint }): void {
    const before = this.net.get(ticker) ?? 0n;
    const after = side === 'yes' ? before + count : before - count;
    const closed = (abs(before) + count - abs(after)) / 2n;
    this.net.set(ticker, after);
    this.cash += closed * 10_000n - (price * count) / 100n - fee;
  }

  /** Pays the account for its balance of contracts, and each agent for each of its own. @returns what the exchange paid */
  settle(ticker: string, value: bigint): bigint {
    const net = this.net.get(ticker) ?? 0n;
    const exact = (net > 0n ? net * value : -net * (1_000_000n - value)) / 100n;
    const revenue = ((exact + 5_000n) / 10_000n) * 10_000n;
    this.cash += revenue;
    this.net.delete(ticker);
    for (const [key, sides] of this.holdings) {
      const [agentId = '', of] = key.split(' ');
      if (of !== ticker) continue;
      this.credit(agentId, (sides.yes * value) / 100n + (sides.no * (1_000_000n - value)) / 100n);
      this.holdings.delete(key);
    }
    return revenue;
  }
}

function abs(value: bigint): bigint {
  return value < 0n ? -value : value;
}
