import { type Clock, RecentlyUsed, sleep, type UsdPrice } from '@agent-wallet/kernel';
import { differsByMoreThan, higherPrice, isHigher } from './price-distance.js';
import type { ReadingOptions } from './price-source.js';
import { isKnown, type KnownPrice, type PriceResult, type PriceUnavailable, type UsdPrices } from './usd-prices.js';

/** A mint's accepted prices, as the store keeps them. */
export interface StoredPrice {
  readonly last: UsdPrice;
  /** The highest one of the last 24 hours; of up to 25, because the store keeps one for each hour. Undefined without one. */
  readonly highest: UsdPrice | undefined;
}

/** Store in which accepted prices outlive the process, and which replicas share. */
export interface AcceptedPriceStore {
  /** Returns the accepted prices of the mints that have one. */
  load(mints: readonly string[]): Promise<ReadonlyMap<string, StoredPrice>>;
  /** Replaces the last accepted price of a mint, and raises the highest one of this hour. */
  save(mint: string, price: UsdPrice): Promise<void>;
}

/** A price to count with, and the one to value with what leaves. */
export interface AcceptedPrice extends KnownPrice {
  /** The highest price of the last 24 hours that was accepted or that the source states; never below `price`. */
  readonly highest: UsdPrice;
}

/** The absence of an accepted price. */
export interface NoAcceptedPrice {
  readonly unavailable: PriceUnavailable;
  /**
   * Whether the token has no market: too little is traded for a price to count, and none was accepted for 24 hours. All
   * other reasons may pass, and the token may be worth something.
   */
  readonly hasNoMarket: boolean;
}

/** An accepted price, or why there is none. */
export type AcceptedResult = AcceptedPrice | NoAcceptedPrice;

/** Prices for limits. */
export interface AcceptedPrices {
  /**
   * Returns a result for every requested mint; the wrapped mint stands for the native coin.
   * @throws AppError UPSTREAM_ERROR or UPSTREAM_TIMEOUT when a source does not answer; of the store
   */
  prices(mints: readonly string[], options?: ReadingOptions): Promise<ReadonlyMap<string, AcceptedResult>>;
}

/** Dependencies of accepted prices. */
export interface AcceptedPricesOptions {
  /** Prices that count: known, fresh, and confirmed where that is possible. */
  readonly counting: UsdPrices;
  readonly clock: Clock;
  readonly store: AcceptedPriceStore;
  /** Time between the first and the second reading; default 1 000 ms. */
  readonly secondReadingAfterMs?: number;
  /** Waits; for tests. */
  readonly pause?: (durationMs: number) => Promise<void>;
}

/** A price this far from the last accepted one needs a second reading. */
const JUMP_PERCENT = 30n;
/** A second reading this close to the first agrees with it. */
const AGREEMENT_PERCENT = 5n;
/** Maximum age of a read from the store, in milliseconds. */
const LOAD_EVERY_MS = 1_000;
/** Maximum difference between the stored and the last accepted price, in percent, so that not every tick is written. */
const STORE_PERCENT = 1n;
const HOUR_MS = 3_600_000;
/** An hour counts until its last moment is a day ago. */
const HOURS_KEPT = 24;
/** Anyone can send an agent another token. */
const MAX_KNOWN = 20_000;

/**
 * Prices for limits. The first price of a mint is accepted as it is; after that, one that lies more than 30 % (of
 * the last accepted one) away is used only after a second reading, asked for at least a second later, lies within
 * 5 % of it. The second reading is made at once, in the same call, which then takes that second longer. When it
 * disagrees the answer is `jump`, and the newest reading is the one that the next call's reading has to agree with.
 * What is accepted becomes the last accepted price.
 *
 * A price that falls must not open a limit, so that the highest accepted price of a day values what leaves; every reading
 * counts, those of dry runs too. A token may have fallen before anyone here read its price. So what the price API says of 24
 * hours ago counts as well. Where it says nothing, as of a token that is younger than a day, a first reading counts as it is:
 * to refuse it would block every payment of a new token. It errs towards refusal alone.
 */
export function acceptedPrices(options: AcceptedPricesOptions): AcceptedPrices {
  return new StoredAcceptedPrices(options);
}

/** State of a mint. */
interface KnownMint {
  accepted?: UsdPrice;
  stored?: UsdPrice;
  /** The highest price in the store when it was last loaded. */
  loadedHighest?: UsdPrice | undefined;
  /** The highest price that this process has stored for an hour. */
  hour?: { readonly number: number; readonly highest: UsdPrice };
  load?: { readonly atMs: number; readonly done: Promise<void> };
  /** A jump that no second reading has settled yet. */
  suspect?: KnownPrice | undefined;
  secondReading?: Promise<AcceptedResult> | undefined;
}

class StoredAcceptedPrices implements AcceptedPrices {
  /** A mint that is forgotten is loaded from the store when it is asked for again. */
  readonly #known = new RecentlyUsed<KnownMint>(MAX_KNOWN);
  readonly #secondReadingAfterMs: number;

  constructor(private readonly options: AcceptedPricesOptions) {
    this.#secondReadingAfterMs = options.secondReadingAfterMs ?? 1_000;
  }

  async prices(mints: readonly string[], options?: ReadingOptions): Promise<ReadonlyMap<string, AcceptedResult>> {
    // Held from here to the end, however many other mints are asked for meanwhile.
    const known = new Map(mints.map((mint) => [mint, this.#known.useOrMake(mint, () => ({}))]));
    const [counting] = await Promise.all([this.options.counting.prices(mints, options), this.#load(known)]);
    const decided = [...known].flatMap(([mint, before]) => {
      const answer = counting.get(mint);
      return answer ? [this.#decide(mint, before, answer).then((price) => [mint, price] as const)] : [];
    });
    return new Map(await Promise.all(decided));
  }

  /**
   * Loads the stored prices, to take account of what other replicas have accepted. Concurrent callers wait for the same
   * load.
   */
  async #load(known: ReadonlyMap<string, KnownMint>): Promise<void> {
    const { store, clock } = this.options;
    const nowMs = clock.nowMs();
    const due = new Map([...known].filter(([, { load }]) => !(Math.abs(nowMs - (load?.atMs ?? NaN)) < LOAD_EVERY_MS)));
    if (due.size > 0) {
      const load = { atMs: nowMs, done: loadFrom(store, due) };
      for (const mint of due.values()) mint.load = load;
      load.done.catch(() => due.forEach((mint) => mint.load === load && delete mint.load));
    }
    await Promise.all([...known.values()].flatMap(({ load }) => load?.done ?? []));
  }

  async #decide(mint: string, known: KnownMint, answer: PriceResult): Promise<AcceptedResult> {
    if (!isKnown(answer)) return this.#without(known, answer.unavailable);
    if (!isJump(known, answer) || this.#isConfirmed(known, answer)) return this.#accept(mint, known, answer);
    // One second reading a mint at a time; callers that meet the same jump meanwhile share its result.
    known.secondReading ??= this.#readAgain(mint, known, answer).finally(() => delete known.secondReading);
    return known.secondReading;
  }

  /** Reports whether a suspect of an earlier call, read long enough before, agrees. */
  #isConfirmed({ suspect }: KnownMint, { price, readAtMs }: KnownPrice): boolean {
    return (
      suspect !== undefined &&
      readAtMs >= suspect.readAtMs + this.#secondReadingAfterMs &&
      !differsByMoreThan(price, suspect.price, AGREEMENT_PERCENT)
    );
  }

  async #readAgain(mint: string, known: KnownMint, first: KnownPrice): Promise<AcceptedResult> {
    known.suspect = first;
    const { clock, counting, pause = sleepAtLeast } = this.options;
    const notBeforeMs = first.readAtMs + this.#secondReadingAfterMs;
    // No longer than that, though the clock was set back meanwhile.
    await pause(Math.min(Math.max(0, notBeforeMs - clock.nowMs()), this.#secondReadingAfterMs));
    const second = (await counting.prices([mint], { readAfterMs: notBeforeMs - 1 })).get(mint);
    if (!isKnown(second)) return this.#without(known, second?.unavailable ?? 'unknown');
    if (!isJump(known, second) || this.#isConfirmed(known, second)) return this.#accept(mint, known, second);
    known.suspect = second;
    return this.#without(known, 'jump');
  }

  async #accept(mint: string, known: KnownMint, answer: KnownPrice): Promise<AcceptedPrice> {
    const { price, fallenFrom } = answer;
    const highest = highestOf(price, fallenFrom, ...this.#highs(known));
    known.accepted = price;
    delete known.suspect;
    const number = this.#hourNow();
    const { hour } = known;
    const isHighOfHour = hour?.number !== number || isHigher(price, hour.highest);
    if (isHighOfHour || !known.stored || differsByMoreThan(price, known.stored, STORE_PERCENT)) {
      await this.options.store.save(mint, price);
      known.stored = price;
      if (isHighOfHour) known.hour = { number, highest: price };
    }
    return { ...answer, highest };
  }

  #without(known: KnownMint, unavailable: PriceUnavailable): NoAcceptedPrice {
    const hadPrice = this.#highs(known).some((high) => high !== undefined);
    return { unavailable, hasNoMarket: !hadPrice && (unavailable === 'unknown' || unavailable === 'illiquid') };
  }

  /** Lists what is known of the high of a day: as it was loaded, and what this process has stored since. */
  #highs({ loadedHighest, hour }: KnownMint): readonly (UsdPrice | undefined)[] {
    return [loadedHighest, hour && hour.number >= this.#hourNow() - HOURS_KEPT ? hour.highest : undefined];
  }

  #hourNow(): number {
    return Math.floor(this.options.clock.nowMs() / HOUR_MS);
  }
}

async function loadFrom(store: AcceptedPriceStore, known: ReadonlyMap<string, KnownMint>): Promise<void> {
  for (const [address, { last, highest }] of await store.load([...known.keys()])) {
    const mint = known.get(address);
    if (!mint) continue;
    mint.loadedHighest = highest;
    if (isSame(last, mint.stored)) continue;
    mint.accepted = last;
    mint.stored = last;
  }
}

function highestOf(price: UsdPrice, ...others: readonly (UsdPrice | undefined)[]): UsdPrice {
  return others.reduce<UsdPrice>((highest, other) => (other ? higherPrice(highest, other) : highest), price);
}

function isJump({ accepted }: KnownMint, { price }: KnownPrice): boolean {
  return accepted !== undefined && differsByMoreThan(price, accepted, JUMP_PERCENT);
}

function isSame(a: UsdPrice, b: UsdPrice | undefined): boolean {
  return a.digits === b?.digits && a.scale === b.scale;
}

/** A timer may fire when the clock is still a millisecond short, which would make the second reading too early. */
const TIMER_SLACK_MS = 5;

function sleepAtLeast(ms: number): Promise<void> {
  return sleep(ms + TIMER_SLACK_MS);
}
