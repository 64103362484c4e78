import type { Clock, UsdPrice } from '@agent-wallet/kernel';
import { differsByMoreThan } from './price-distance.js';
import type { ReadingOptions } from './price-reader.js';
import { isKnown, type KnownPrice, type PriceAnswer, type UsdPrices } from './usd-prices.js';

/** Where the last accepted prices outlive the process. */
export interface AcceptedPriceStore {
  /** The last accepted prices of those mints that have one. */
  load(mints: readonly string[]): Promise<ReadonlyMap<string, UsdPrice>>;
  /** Replaces the last accepted price of a mint. */
  save(mint: string, price: UsdPrice): Promise<void>;
}

/** What accepted prices are made of. */
export interface AcceptedPricesOptions {
  /** Known and fresh prices. */
  readonly fresh: UsdPrices;
  readonly clock: Clock;
  /** In the memory of the process when omitted. */
  readonly store?: AcceptedPriceStore;
  /** How far a second reading lies behind the first; default 1 000 ms. */
  readonly secondReadingAfterMs?: number;
  /** Waits; for tests. */
  readonly pause?: (durationMs: number) => Promise<void>;
}

/** A price this far from the last accepted one needs a second reading. */
const JUMP_PERCENT = 30n;
/** A second reading this close to the first agrees with it. */
const AGREEMENT_PERCENT = 5n;
/** How old what was read from the store may be. */
const LOAD_EVERY_MS = 1_000;
/** What is stored may be this far from what was accepted last, so that not every tick is written. */
const STORE_PERCENT = 1n;

/**
 * Prices for limits. The first price of a mint is accepted as it is; after that, one that lies more than 30 % (of
 * the last accepted one) away is used only after a second reading, asked for at least a second later, lies within
 * 5 % of it. The second reading is made at once, in the same call, which then takes that second longer. When it
 * disagrees the answer is `jump`, and the newest reading is the one that the next call's reading has to agree with.
 * What is accepted becomes the last accepted price.
 */
export function acceptedPrices(options: AcceptedPricesOptions): UsdPrices {
  return new AcceptedPrices(options);
}

class AcceptedPrices implements UsdPrices {
  readonly #accepted = new Map<string, UsdPrice>();
  readonly #stored = new Map<string, UsdPrice>();
  readonly #loads = new Map<string, { readonly atMs: number; readonly done: Promise<void> }>();
  /** Jumps that no second reading has settled yet. */
  readonly #suspects = new Map<string, KnownPrice>();
  readonly #secondReadings = new Map<string, Promise<PriceAnswer>>();
  readonly #secondReadingAfterMs: number;

  constructor(private readonly options: AcceptedPricesOptions) {
    this.#secondReadingAfterMs = options.secondReadingAfterMs ?? 1_000;
  }

  async prices(mints: readonly string[], options?: ReadingOptions): Promise<ReadonlyMap<string, PriceAnswer>> {
    const [fresh] = await Promise.all([this.options.fresh.prices(mints, options), this.#load(mints)]);
    const answers = [...fresh].map(async ([mint, answer]) => [mint, await this.#decide(mint, answer)] as const);
    return new Map(await Promise.all(answers));
  }

  /** What another replica has accepted since counts here, too. Whoever asks meanwhile waits for the same load. */
  async #load(mints: readonly string[]): Promise<void> {
    const { store, clock } = this.options;
    if (!store) return;
    const nowMs = clock.nowMs();
    const due = mints.filter((mint) => !(Math.abs(nowMs - (this.#loads.get(mint)?.atMs ?? NaN)) < LOAD_EVERY_MS));
    if (due.length > 0) {
      const done = this.#loadFrom(store, due);
      for (const mint of due) this.#loads.set(mint, { atMs: nowMs, done });
      done.catch(() => due.forEach((mint) => this.#loads.get(mint)?.done === done && this.#loads.delete(mint)));
    }
    await Promise.all(mints.flatMap((mint) => this.#loads.get(mint)?.done ?? []));
  }

  async #loadFrom(store: AcceptedPriceStore, mints: readonly string[]): Promise<void> {
    for (const [mint, price] of await store.load(mints)) {
      if (isSame(price, this.#stored.get(mint))) continue;
      this.#accepted.set(mint, price);
      this.#stored.set(mint, price);
    }
  }

  async #decide(mint: string, answer: PriceAnswer): Promise<PriceAnswer> {
    if (!isKnown(answer)) return answer;
    if (!this.#isJump(mint, answer) || this.#isConfirmed(mint, answer)) return this.#accept(mint, answer);
    return this.#secondReading(mint, answer);
  }

  #isJump(mint: string, { price }: KnownPrice): boolean {
    const last = this.#accepted.get(mint);
    return last !== undefined && differsByMoreThan(price, last, JUMP_PERCENT);
  }

  /** Whether a suspect of an earlier call, read long enough before, agrees. */
  #isConfirmed(mint: string, { price, readAtMs }: KnownPrice): boolean {
    const suspect = this.#suspects.get(mint);
    return (
      suspect !== undefined &&
      readAtMs >= suspect.readAtMs + this.#secondReadingAfterMs &&
      !differsByMoreThan(price, suspect.price, AGREEMENT_PERCENT)
    );
  }

  /** One second reading a mint at a time; whoever meets the same jump meanwhile shares its end. */
  #secondReading(mint: string, first: KnownPrice): Promise<PriceAnswer> {
    const underWay = this.#secondReadings.get(mint);
    if (underWay) return underWay;
    const reading = this.#readAgain(mint, first).finally(() => this.#secondReadings.delete(mint));
    this.#secondReadings.set(mint, reading);
    return reading;
  }

  async #readAgain(mint: string, first: KnownPrice): Promise<PriceAnswer> {
    this.#suspects.set(mint, first);
    const { clock, fresh, pause = sleep } = this.options;
    const notBeforeMs = first.readAtMs + this.#secondReadingAfterMs;
    await pause(Math.max(0, notBeforeMs - clock.nowMs()));
    const second = (await fresh.prices([mint], { readAfterMs: notBeforeMs - 1 })).get(mint);
    if (!isKnown(second)) return second ?? { unavailable: 'unknown' };
    if (!this.#isJump(mint, second) || this.#isConfirmed(mint, second)) return this.#accept(mint, second);
    this.#suspects.set(mint, second);
    return { unavailable: 'jump' };
  }

  async #accept(mint: string, known: KnownPrice): Promise<KnownPrice> {
    this.#accepted.set(mint, known.price);
    this.#suspects.delete(mint);
    const stored = this.#stored.get(mint);
    if (this.options.store && (!stored || differsByMoreThan(known.price, stored, STORE_PERCENT))) {
      await this.options.store.save(mint, known.price);
      this.#stored.set(mint, known.price);
    }
    return known;
  }
}

function isSame(a: UsdPrice, b: UsdPrice | undefined): boolean {
  return a.digits === b?.digits && a.scale === b.scale;
}

/** A timer may fire when the clock is still a millisecond short, which would make the second reading too early. */
const TIMER_SLACK_MS = 5;

function sleep(durationMs: number): Promise<void> {
  return new Promise((resolve) => setTimeout(resolve, durationMs + TIMER_SLACK_MS));
}
