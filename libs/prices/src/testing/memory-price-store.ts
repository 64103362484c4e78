import type { Clock, UsdPrice } from '@agent-wallet/kernel';
import type { AcceptedPriceStore } from '../accepted-prices.js';
import { higherPrice } from '../price-distance.js';

const HOUR_MS = 3_600_000;

/** A store of accepted prices in memory, with the highest one of each hour as the database keeps them. */
export class MemoryPriceStore implements AcceptedPriceStore {
  /** Every price that was saved, as `digits e-scale`. */
  readonly saved: string[] = [];
  readonly #last = new Map<string, UsdPrice>();
  readonly #highs = new Map<string, Map<number, UsdPrice>>();

  constructor(
    private readonly clock: Clock,
    initial: readonly (readonly [string, UsdPrice])[] = [],
  ) {
    for (const [mint, price] of initial) this.#keep(mint, price);
  }

  async load(mints: readonly string[]) {
    const oldest = Math.floor(this.clock.nowMs() / HOUR_MS) - 24;
    return new Map(
      mints.flatMap((mint) => {
        const last = this.#last.get(mint);
        if (!last) return [];
        const highs = [...(this.#highs.get(mint) ?? [])].filter(([hour]) => hour >= oldest);
        const prices = highs.map(([, price]) => price);
        const highest = prices.length === 0 ? undefined : prices.reduce(higherPrice);
        return [[mint, { last, highest }] as const];
      }),
    );
  }

  async save(mint: string, price: UsdPrice): Promise<void> {
    this.saved.push(`${price.digits}e-${price.scale}`);
    this.#keep(mint, price);
  }

  #keep(mint: string, price: UsdPrice): void {
    this.#last.set(mint, price);
    const highs = this.#highs.get(mint) ?? new Map<number, UsdPrice>();
    const hour = Math.floor(this.clock.nowMs() / HOUR_MS);
    highs.set(hour, higherPrice(highs.get(hour) ?? price, price));
    this.#highs.set(mint, highs);
  }
}
